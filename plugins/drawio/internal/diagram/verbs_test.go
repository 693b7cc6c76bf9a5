package diagram

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

func TestTheExampleOfTheManifest(t *testing.T) {
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
	for range 3 {
		d.undo()
	}
	if got := d.bytes(); got != empty {
		t.Errorf("undone to %q", got)
	}
}

func TestEveryTypeIsAddedWithItsSizeAndRecognised(t *testing.T) {
	d := newDoc(t)
	for _, kind := range style.Order() {
		s, _ := style.ShapeNamed(kind)
		op := "add " + kind + " My" + kind
		if kind == "image" {
			op += " src:logo.svg"
		}
		text := d.run(op)
		if want := fmt.Sprintf("%s My%s @(", kind, kind); !strings.HasPrefix(text, want) {
			t.Errorf("%s: %q", kind, text)
		}
		hits, _ := d.in.Model().Current.Names().Find("My"+kind, true)
		c := hits[0]
		if c.Kind() != kind || c.Geo.W != s.W || c.Geo.H != s.H {
			t.Errorf("%s is known again as %s %v", kind, c.Kind(), c.Geo)
		}
		for _, theme := range style.ThemeNames() {
			d.run(fmt.Sprintf("style My%s theme:%s", kind, theme))
			if c.Style.Theme() != theme || c.Kind() != kind {
				t.Errorf("%s in %s is known again as %s in %q", kind, theme, c.Kind(), c.Style.Theme())
			}
		}
	}
}

// Each of these failed in another server.
func TestCasesThatOtherServersGetWrong(t *testing.T) {
	t.Run("ids never begin again in a file that is opened and added to", func(t *testing.T) {
		d := newDoc(t)
		d.run("add box A", "add box B", "connect A -> B")
		again := openDoc(t, []byte(d.bytes()))
		again.run("add box C", "connect C -> A")
		seen := map[string]bool{}
		for c := again.in.Model().Current.First(); c != nil; c = c.Next() {
			if seen[c.ID] {
				t.Errorf("id %s twice", c.ID)
			}
			seen[c.ID] = true
		}
		if got := again.query("list"); !strings.Contains(got, "A(box)") || !strings.Contains(got, "C(box)") {
			t.Errorf("list: %s", got)
		}
	})
	t.Run("ids never begin again after a removal", func(t *testing.T) {
		d := newDoc(t)
		d.run("add box A", "add box B", "remove B", "add box C")
		if c := d.in.Model().Current.Last(); c.ID != "n3" {
			t.Errorf("C has the id %s that B had", c.ID)
		}
	})
	t.Run("a directed edge has one head after it is opened again", func(t *testing.T) {
		d := newDoc(t)
		d.run("add box A", "add box B", "add box C", "connect A -> B", "connect B <-> C", "connect A -- C", "connect A <- C")
		again := openDoc(t, []byte(d.bytes()))
		for _, want := range []string{"A->B", "B<->C", "A--C", "C->A"} {
			if got := again.query("connections *"); !strings.Contains(got, want+" ") {
				t.Errorf("no %s in %s", want, got)
			}
		}
	})
	t.Run("labels like List<String> are shown as they are", func(t *testing.T) {
		d := newDoc(t)
		d.run(`add box "List<String> & <b>x</b>"`)
		again := openDoc(t, []byte(d.bytes()))
		if got := again.query("list"); !strings.Contains(got, "List<String> & <b>x</b>(box)") {
			t.Errorf("list: %s", got)
		}
		if raw := again.in.Model().Current.Last().Value; raw != "List&lt;String&gt; &amp; &lt;b&gt;x&lt;/b&gt;" {
			t.Errorf("the html is %q", raw)
		}
		again.run(`label "List<String> & <b>x</b>" "a\nb"`)
		if raw := again.in.Model().Current.Last().Value; raw != "a<br>b" {
			t.Errorf("the html is %q", raw)
		}
	})
	t.Run("style A -> B styles the edge, not A", func(t *testing.T) {
		d := newDoc(t)
		d.run("add box A", "add box B", "connect A -> B")
		a := d.in.Model().Current.Cell("n1").Raw()
		d.run("style A -> B stroke:red dashed")
		if d.in.Model().Current.Cell("n1").Raw() != a {
			t.Error("A changed")
		}
		if s := d.in.Model().Current.Cell("n3").Style; !s.Is("strokeColor", "#ff0000") || !s.Is("dashed", "1") {
			t.Errorf("the edge has %s", s)
		}
	})
	t.Run("remove on an ambiguous name removes nothing", func(t *testing.T) {
		d := newDoc(t)
		d.run("add db Cache", "add svc Cache")
		d.refused("remove Cache", "ambiguous")
		d.run("remove db:Cache")
		if got := d.digest(); !strings.HasPrefix(got, "1s") {
			t.Error(got)
		}
		d.run("add svc Cacher")
		d.refused("remove Cach", "not found")
	})
	t.Run("type-qualified and group-qualified references resolve", func(t *testing.T) {
		d := newDoc(t)
		d.run("add db Cache", "add svc Cache", "add box X", "group db:Cache X as:Left", "style db:Cache bold", "style Left/Cache italic", "style svc:Cache underline")
		if got := d.query("describe db:Cache"); !strings.Contains(got, "fontStyle=3") {
			t.Errorf("describe: %s", got)
		}
	})
	t.Run("quoted groups are selected", func(t *testing.T) {
		d := newDoc(t)
		d.run("add box A", "add box B", `group A B as:"Back End"`)
		if got := d.query(`list @group:"Back End"`); !strings.Contains(got, "2 shapes") {
			t.Error(got)
		}
		d.run(`style @group:"Back End" theme:red`)
	})
	t.Run("shapes are never placed on each other", func(t *testing.T) {
		d := newDoc(t)
		d.run("add box A at:100,100", "add box B at:100,100", "add box C at:110,120", "add svc D near:A", "add svc E near:A", "add svc F near:A dir:above", "add box G at:center", "add box H at:center", "add box W count:30")
		if w := d.warnings(); strings.Contains(w, "overlap") {
			t.Error(w)
		}
		d.run("add box Z at:100,100 strict:true")
		if w := d.warnings(); !strings.Contains(w, "1 overlap: A/Z") {
			t.Errorf("strict: %q", w)
		}
	})
}

func TestRefusalsNameTheErrorAndChangeNothing(t *testing.T) {
	d := newDoc(t)
	d.run("add svc Auth", "add db Users", "add box Lone", "connect Auth -> Users label:reads", "connect Auth -> Users label:writes", "group Auth Users as:Back")
	for _, c := range []struct{ op, want string }{
		{"add sv Thing", `unknown type "sv"`},
		{"add box X theme:bleu", `unknown theme "bleu"`},
		{"add box X size:0x10", "not a size WxH"}, {"add box X size:NaNxNaN", "not a size WxH"}, {"add box X size:-5x10", "not a size WxH"},
		{"add box X size:1e9x5", "not a size WxH"}, {"add box X size:12", "not a size WxH"}, {"add box X size:999999x10", "not a size WxH"},
		{"add box X at:nowhere", "neither X,Y nor a region"}, {"add box X at:1,NaN", "neither"},
		{"add box X near:Nobody", `"Nobody" not found`}, {"add box X dir:left", "needs near:"},
		{"add box X near:Auth dir:up", "not a direction"}, {"add box X near:Auth at:1,2", "both give a position"},
		{"add box X in:Nowhere", "no group"}, {"add box X in:Lone", "not a group"},
		{"add box X count:0", "from 1 to 1000"}, {"add box X count:many", "whole number"},
		{"add box X id:n1", "taken"}, {"add box X id:y count:2", "cannot share"},
		{`add box " "`, "needs a label"}, {"add box X strict:maybe", "neither true nor false"},
		{"connect Auth -> Nobody", "not found"}, {"connect Auth Users Lone", "is not an arrow"},
		{"connect Auth -> Users ->", "REF ARROW REF"}, {"connect Auth -> -> Users", "two arrows"},
		{"connect Auth -> Users style:wavy", "unknown style"}, {"connect Auth -> Users exit:up", "not a face"},
		{"connect Auth -> Users exit:left@2", "fraction"}, {"connect Auth -> Users target-arrow:spear", "unknown head"},
		{"connect Auth -> Users via:1", "via"},
		{"disconnect Auth -> Users", "ambiguous"}, {"disconnect Auth -> Lone", "no connection"}, {"disconnect Users -> Auth", "there is"},
		{"disconnect Auth -> Users label:deletes", "labelled"},
		{"disconnect Auth", "REF ARROW REF"},
		{"style Auth fill:blurple", "not a colour"}, {"style Auth fill:#12", "not a colour"}, {"style Auth colr:red", "unknown style key"},
		{"style Auth bolt", `unknown style "bolt"`}, {"style Auth curved", "for edges"}, {"style Auth opacity:101", "from 0 to 100"},
		{"style Auth font-size:NaN", "from 1 to 400"}, {"style Auth align:middle", "not one of"}, {"style Auth", "needs something"},
		{"style Auth font:a;b", "cannot hold"}, {"style @type:warp bold", "unknown type"}, {"style @theme:pink bold", "unknown theme"},
		{"style @type:cloud bold", "matches nothing"}, {"style @recent:0 bold", "whole number"},
		{"label Auth", "one text"}, {"label Auth a b", "one text"},
		{"move Auth", "one of"}, {"move Auth by:1", "X,Y"}, {"move Auth to:1,2 by:3,4", "one of"}, {"move Back in:Back", "itself"},
		{"move Auth near:Auth", "itself"}, {"move @edges by:1,2", "no position of their own"},
		{"move Auth by:2000000,0", "not a point X,Y"},
		{"resize Auth", "needs a size"}, {"resize Auth 0x0", "not a size WxH"}, {"resize Back 10x10", "needs at least"}, {"resize Auth 10x10 w:5", "size once"},
		{"group Auth Lone as:X", "different groups"}, {"group Lone as:Auth", "already the name"}, {"group Lone", "as:NAME"},
		{"ungroup Lone", "not a group"}, {`copy Auth as:""`, "names one"}, {"repeat Auth", "needs count"}, {"repeat Auth count:2 dx:0 dy:0", "on the original"},
		{"modify Auth", "needs something"}, {"modify Auth type:warp", "unknown type"}, {"modify Back type:db", "is a group"},
		{"page switch 9", "no page 9"}, {"page switch Nope", `no page "Nope"`}, {"page remove 1", "last page"}, {"page frob", "unknown"},
		{"page add Page-1", "called"}, {"page", "words"},
		{"layout algo:magic", "not one of"}, {"layout dir:UP", "not one of"}, {"layout spacing:1", "from 10"}, {"layout spacing:NaN", "from 10"},
	} {
		d.refused(c.op, c.want)
	}
}

func TestRemoveAlsoRemovesEdgesAndReportsThem(t *testing.T) {
	d := newDoc(t)
	d.run("add box A", "add box B", "add box C", "connect A -> B -> C", "connect A -> C")
	before := d.bytes()
	if got := d.run("remove B"); got != "B and 2 edges: A->B, B->C" {
		t.Error(got)
	}
	d.undo()
	if d.bytes() != before {
		t.Error("not restored")
	}
	d.run("group A B as:G")
	if got := d.run("remove G"); got != "G with 2 shapes inside: A, B and 3 edges: A->B, B->C, A->C" {
		t.Error(got)
	}
	if got := d.digest(); !strings.HasPrefix(got, "1s 0e 0g") {
		t.Error(got)
	}
}

func TestGroupAndUngroupKeepThePlacesOfShapes(t *testing.T) {
	d := newDoc(t)
	d.run("add box A at:100,100", "add box B at:400,300", "connect A -> B via:250,130;250,330", "add box C at:700,100")
	before := d.query("list @type:box")
	d.run("group A B as:G")
	if got := d.query("describe A"); !strings.Contains(got, "@(100,100 120x60)") || !strings.Contains(got, "in: G") {
		t.Error(got)
	}
	d.run("add box D in:G", "group C as:G")
	if got := d.query("list @group:G"); !strings.Contains(got, "4 shapes") {
		t.Error(got)
	}
	if w := d.warnings(); strings.Contains(w, "overlap") {
		t.Error(w)
	}
	d.run("remove D", "move C in:none", "move C to:700,100", "move G by:50,0")
	if got := d.query("describe A -> B"); !strings.Contains(got, "via: 300,130;300,330") {
		t.Errorf("waypoints stay behind: %s", got)
	}
	d.run("move G by:-50,0", "ungroup G")
	if got := d.query("list @type:box"); got != before {
		t.Errorf("got %s\nwant %s", got, before)
	}
}

func TestCopiesIncludeContentAndInnerEdges(t *testing.T) {
	d := newDoc(t)
	d.run("add box A", "add box B", "connect A -> B label:x", "group A B as:G", "copy G as:H")
	if got := d.digest(); !strings.HasPrefix(got, "4s 2e 2g") {
		t.Error(got)
	}
	if got := d.query("list @group:H"); !strings.Contains(got, "2 shapes") {
		t.Error(got)
	}
	if w := d.warnings(); strings.Contains(w, "overlap") {
		t.Error(w)
	}
	d.run("add svc Worker", "repeat Worker count:3")
	if got := d.query("find Worker"); !strings.Contains(got, "Worker2") || !strings.Contains(got, "Worker4") {
		t.Error(got)
	}
}

func TestAddingAndRemovingPagesKeepsTheBytesOfOthers(t *testing.T) {
	d := newDoc(t)
	d.run("add box A", "page add Second", "add box B")
	if got := d.digest(); got != "1s 0e 0g 120x60 p:2/2" {
		t.Error(got)
	}
	e := d.refused("style A bold", "page 1 (Page-1) has it")
	if len(e.Try) != 1 || e.Try[0].Text != "page switch 1" {
		t.Errorf("try %v", e.Try)
	}
	d.run("page duplicate 1 as:Copy", "page move Copy 1", "page rename Second Details", "page switch Details", "style @page:Copy theme:red")
	ids := map[string]bool{}
	for _, p := range d.in.Model().Pages {
		for c := p.First(); c != nil; c = c.Next() {
			if c.Vertex && ids[c.ID] {
				t.Errorf("id %s on two pages", c.ID)
			}
			ids[c.ID] = true
		}
	}
	if got := d.run("page list"); !strings.Contains(got, "1 Copy: 1s") || !strings.Contains(got, "3 Details: 1s 0e 0g (current)") {
		t.Error(got)
	}
	d.run("page remove Details")
	if got := d.digest(); got != "1s 0e 0g 120x60 p:2/2" {
		t.Error(got)
	}
	if _, err := mxfile.Open([]byte(d.bytes())); err != nil {
		t.Error(err)
	}
}

func TestRecentFollowsTheOps(t *testing.T) {
	d := newDoc(t)
	d.run("add box A", "add box B", "add box C", "style @recent:2 bold")
	if a, c := d.in.Model().Current.Cell("n1"), d.in.Model().Current.Cell("n3"); a.Style.Is("fontStyle", "1") || !c.Style.Is("fontStyle", "1") {
		t.Error("the wrong shapes")
	}
	d.run("page add P2", "add box D", "remove @recent")
	if got := d.digest(); !strings.HasPrefix(got, "0s") {
		t.Error(got)
	}
}

func TestLayoutIsExactAndPartial(t *testing.T) {
	d := newDoc(t)
	d.run("add box A at:0,0", "add box B at:0,90", "add box C at:500,10", "add box D at:600,400", "connect A -> B -> C", "connect A -> C via:9,9;9,99", "group B C as:G")
	d.run("layout")
	if got := d.query("connections *"); strings.Count(got, "->") != 3 {
		t.Error(got)
	}
	y := func(name string) float64 {
		c, err := selector.Shape(d.in.Model(), name, true)
		if err != nil {
			t.Fatal(err)
		}
		return c.Abs().Y
	}
	if !(y("A") < y("B") && y("B") <= y("C")) {
		t.Errorf("A %g B %g C %g", y("A"), y("B"), y("C"))
	}
	if got := d.query("describe A -> C"); strings.Contains(got, "9,9") {
		t.Errorf("stale waypoints: %s", got)
	}
	d.unchanged("layout", "already laid out like that: 5 shapes and 3 edges")
	before := d.query("describe D")
	d.run("layout @group:G dir:LR algo:layered")
	if got := d.query("describe D"); got != before {
		t.Error("a partial layout moved the rest")
	}
	if w := d.warnings(); strings.Contains(w, "overlap") {
		t.Error(w)
	}
}

// With @edges, every selector applies to edges, too.
func TestSelectorsCombineWithEdges(t *testing.T) {
	d := newDoc(t)
	d.run("add svc A at:100,100", "add db B at:400,100", "add svc C at:900,100", "connect A -> B theme:red label:one", "connect B -> C label:two", "connect C -- A via:950,900;150,900", "group A B as:G")
	for sel, want := range map[string]string{
		"@theme:red": "A->B", "@group:G": "A->B", "@range:0,0-700,300": "A->B", "@range:0,0-2000,300": "A->B B->C", "@text:two": "B->C",
		"@connected:C": "B->C C--A", "@recent:3": "B->C C--A", "@layer:1": "A->B B->C C--A", "@page:1": "A->B B->C C--A", "@not:theme:red": "B->C C--A",
	} {
		var got []string
		for l := range strings.Lines(d.query("list @edges " + sel)) {
			if f := strings.Fields(l); strings.HasPrefix(l, "  ") {
				got = append(got, f[0])
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("@edges %s: %s, want %s", sel, got, want)
		}
	}
	if got := d.query("list @theme:red"); got != "nothing" {
		t.Errorf("without @edges: %s", got)
	}
	if got := d.query("list @orphan"); got != "nothing" {
		t.Errorf("without edges: %s", got)
	}
	d.run("add box Alone")
	if got := d.query("list @orphan"); !strings.Contains(got, "Alone(box)") || strings.Contains(got, "A(svc)") {
		t.Errorf("without edges: %s", got)
	}
}
