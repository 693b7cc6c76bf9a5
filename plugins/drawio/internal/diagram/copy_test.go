package diagram

import (
	"strings"
	"testing"
)

func TestACopiedLaneIsTheLastOfItsPool(t *testing.T) {
	for _, flow := range []string{"LR", "TB"} {
		d := newDoc(t)
		d.run("add pool Orders lanes:Customer,Shop flow:"+flow+" at:100,100", "add box Pay in:Shop", "add box Ship in:Shop", "connect Pay -> Ship")
		before, size := d.bytes(), d.in.Model().Current.Names()
		pool, _ := size.Find("Orders", true)
		was := pool[0].Geo
		text := d.run("copy Shop as:Depot")
		want := "lane Depot @(130,340 610x120)\nOrders is now 640x360"
		if flow == "TB" {
			want = "lane Depot @(460,130 180x450)\nOrders is now 540x480"
		}
		if text != want {
			t.Errorf("%s: %s, want %s", flow, text, want)
		}
		if got := d.query("describe Depot"); !strings.Contains(got, "in: Orders") || !strings.Contains(got, "holds: Pay, Ship") {
			t.Error(got)
		}
		pool, _ = d.in.Model().Current.Names().Find("Orders", true)
		if now := pool[0].Geo; now.W*now.H <= was.W*was.H {
			t.Errorf("%s: the pool stayed %v", flow, now)
		}
		d.undo()
		if d.bytes() != before {
			t.Error("undo left something")
		}
		if text := d.run("repeat Shop count:2"); !strings.Contains(text, "Shop2, Shop3") {
			t.Error(text)
		}
		if lint := d.query("lint"); strings.Contains(lint, "overlap") {
			t.Error(lint)
		}
		d.refused("copy Shop to:10,10", "to: does not go with a lane")
		d.refused("copy @type:lane", "copied one at a time")
		d.refused("repeat Shop count:500", "lanes; 200 at most")
		d.run("copy @all")
	}
}

func TestAReferencePrefersAShapeToAPartOfAnother(t *testing.T) {
	d := newDoc(t)
	d.run("add class Order fields:User", "add box User", "add entity Buyer fields:User,Order", "add box Hub")
	for _, op := range []string{"connect User -> Hub", "style User bold", "move Order by:10,0", "connect Order -> User"} {
		d.run(op)
	}
	d.run("remove User")
	if got := d.query("list @text:User"); strings.Contains(got, "User(box)") || !strings.Contains(got, "User(") {
		t.Error(got)
	}
	d.refused("move Order/User by:5,5", "User is a row of Order, which places its rows")
	d.refused("copy Order/User", "User is a row of Order")
	d.run("define fn base:svc", "add fn Job", "add svc Job")
	d.refused("style Job bold", "ambiguous")
	d.run(`style "fn:Job" bold`)
	if got := d.query("list @type:fn"); !strings.Contains(got, "Job(fn)") {
		t.Error(got)
	}
}
