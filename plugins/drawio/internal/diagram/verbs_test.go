package diagram

import (
	"strings"
	"testing"
)

func TestTheContractsExample(t *testing.T) {
	d := newDoc(t)
	empty := d.bytes()
	if got := d.run("add svc AuthService theme:blue"); got != "svc AuthService @(200,200 140x60) blue" {
		t.Errorf("add: %q", got)
	}
	if got := d.run("add db UserDB theme:green near:AuthService dir:right"); got != "db UserDB @(400,190 120x80) green" {
		t.Errorf("add: %q", got)
	}
	if got := d.run("connect AuthService -> UserDB label:queries"); got != `AuthService->UserDB "queries" solid` {
		t.Errorf("connect: %q", got)
	}
	if got := d.digest(); got != "2s 1e 0g 320x80 p:1/1" {
		t.Errorf("digest: %q", got)
	}
	full := d.bytes()
	t.Log(full)
	for range 3 {
		d.undo()
	}
	if got := d.bytes(); got != empty {
		t.Errorf("undone to %q", got)
	}
	again := openDoc(t, []byte(full))
	if again.bytes() != full {
		t.Error("what we write changes when it is opened")
	}
	again.run("add box More")
	if !strings.Contains(again.bytes(), `id="n4" value="More"`) {
		t.Error("ids begin again in a file that this domain saved")
	}
}
