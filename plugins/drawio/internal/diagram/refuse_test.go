package diagram

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/pdk"
)

// A suggestion keeps the words of the op and changes only what was wrong. If nothing is
// similar there is no suggestion, or only a query, which starts with ?.
func TestARefusalSuggestsTheCorrectedOp(t *testing.T) {
	d := newDoc(t)
	d.run("add svc Cache", "add db Cache", "add box AuthService", "add box AuthStore", "group AuthService AuthStore as:Back", "define theme brand fill:#abcdef stroke:navy",
		"page add Second", "add box Far", "page switch 1", "layer create L2", "layer switch 1", "add box P9", "add pool Desk lanes:Front,Rear",
		"connect AuthService -> AuthStore label:reads", "connect AuthService -> AuthStore label:writes", "connect AuthService -> P9")
	for _, c := range []struct {
		op, want string
		tries    string // one a line
	}{
		{"connect Cache -> AuthStore", "ambiguous", "connect \"svc:Cache\" -> AuthStore\nconnect \"db:Cache\" -> AuthStore"},
		{"style Auth bold", "ambiguous", "style AuthService bold\nstyle AuthStore bold"},
		{"style AuthServise italic", "not found", "style AuthService italic"},
		{"style Wholly bold", "the query map shows", "?map"},
		{"style Far bold", "page 2 (Second) has it", "page switch 2"},
		{"add box X theme:bleu", "unknown theme", "add box X theme:blue"},
		{"add box X theme:mauve", "unknown theme", ""},
		{"style AuthStore theme:brnd", "unknown theme", "style AuthStore theme:brand"},
		{"style AuthStore boldd", "unknown style", "style AuthStore bold"},
		{"style AuthStore", "something to change", ""},
		{"style P9 red", "a colour goes after fill: or stroke:", "style P9 fill:red"},
		{"style P9 sparkling", "styles: solid dashed", ""},
		{"style P9 font:\"\"", "needs a family", ""},
		{"style P9 strokewidht:4", "unknown style key", "style P9 stroke-width:4"},
		{"style P9 bold bogus:4", "unknown style key", "style P9 bold"},
		{"style P9 strokeWidth:-3", "from 0 to 100", "style P9 strokeWidth:0"},
		{"style P9 fontSize:900", "from 1 to 400", "style P9 fontSize:400"},
		{"style P9 font-size:big", "from 1 to 400", ""},
		{"style P9 gradientColor:nocolour", "not a colour", ""},
		{"style P9 gradientColor:yelow", "not a colour", "style P9 gradientColor:yellow"},
		{"style P9 glass:7", "not one of 0 1", ""},
		{"style P9 align:centre", "not one of", "style P9 align:center"},
		{"style AuthStore fill:bleu", "not a colour", "style AuthStore fill:blue"},
		{"style AuthService AuthStore dotted", "one too many", "style AuthService dotted\nstyle AuthStore dotted"},
		{"style @edges -> AuthStore bold", "takes one of", "?connections AuthStore"},
		{"style @type:svc AuthStore bold", "one too many", ""},
		{"style AuthService -> AuthStore curved", "ambiguous; name one by its id", "style n12 curved\nstyle n13 curved"},
		{"style @type:warp bold", "on this page: svc db", "?list"},
		{"style @type:svcs bold", "unknown type", "style bold @type:svc"},
		{"style @group:Bakc bold", "no group", "style bold @group:Back"},
		{"remove @group:Bak", "no group", "remove @group:Back"},
		{"remove @group:Kitchen", "no group", "?map"},
		{"remove @group:Bac", "no group", "remove @group:Back"},
		{"remove AuthService -> AuthStore", "ambiguous", "remove AuthService -> AuthStore label:reads\nremove AuthService -> AuthStore label:writes"},
		{"disconnect AuthService -> AuthStore", "ambiguous", "disconnect AuthService -> AuthStore label:reads\ndisconnect AuthService -> AuthStore label:writes"},
		{"disconnect P9 -> AuthStore", "no connection", "?connections P9"},
		{"disconnect AuthService P9", "REF ARROW REF", "disconnect AuthService -> P9"},
		{"disconnect AuthService", "REF ARROW REF", "?connections AuthService"},
		{"disconnect AuthService -> P9 label:wrong", "has no label", "?connections AuthService"},
		{"disconnect AuthService -> AuthStore label:raeds", "is labelled", "disconnect AuthService -> AuthStore label:reads"},
		{"layout tree", "takes no word", "layout algo:tree"},
		{"layout Back", "takes no word", "layout @group:Back"},
		{"layout horizontal", "takes no word", "layout dir:LR"},
		{"move svc:Cache right 100", "places are", "move \"svc:Cache\" by:100,0"},
		{"move P9 Back", "places are", "move P9 in:Back"},
		{"align left AuthService AuthStore", "a side", ""},
		{"group AuthService AuthStore Pay", "as:NAME", "group AuthService AuthStore as:Pay"},
		{"link P9 -> AuthStore", "connect draws", "connect P9 -> AuthStore"},
		{"link P9 Second", "one too many", "link P9 page:Second"},
		{"connect P9 -> AuthStore calls", "is not an arrow", "connect P9 -> AuthStore label:calls"},
		{"modify P9 text:X", "unknown style", "modify P9 label:X"},
		{"style P9 fontWeight:bold", "unknown style key", "style P9 bold"},
		{"add Shopper svc", "the type goes before", "add svc Shopper"},
		{"add svc Big Shop", "quote a label", `add svc "Big Shop"`},
		{"add svc Shop below P9", "is not a flag", "add svc Shop near:P9 dir:below"},
		{"connect P9 -> P8", "not found", "?map"},
		{"connect P9 AuthStore", "is not an arrow", "connect P9 -> AuthStore"},
		{"connect P9 => AuthStore", "is not an arrow", "connect P9 -> AuthStore"},
		{"connect P9 -> -> AuthStore", "two arrows", "connect P9 -> AuthStore"},
		{"connect P9 -> AuthStore target-arrow:opn", "unknown head", "connect P9 -> AuthStore target-arrow:open"},
		{"connect P9 -> AuthStore style:thick,dahsed", "unknown style", "connect P9 -> AuthStore style:thick,dashed"},
		{"connect P9 -> AuthStore exit:rihgt@0.25", "not a face", "connect P9 -> AuthStore exit:right@0.25"},
		{"label AuthStore Two words", "one text", `label AuthStore "Two words"`},
		{"label AuthStore", "one text", ""},
		{"link AuthStore https://x.y", "one too many", `link AuthStore url:https://x.y`},
		{"link AuthStore url:", "one too many", ""},
		{"link AuthStore page:Secnd", "no page", "link AuthStore page:Second"},
		{"tooltip AuthStore two words", "one text", `tooltip AuthStore "two words"`},
		{"data AuthStore label:x", "not a custom property", "label AuthStore x"},
		{"badge AuthStore 1 at:top-lfet", "not one of top-right", "badge AuthStore 1 at:top-left"},
		{"move svc:Cache 900,200", "places are", "move \"svc:Cache\" to:900,200"},
		{"move svc:Cache down", "places are", ""},
		{"move svc:Cache by:5", "X,Y", ""},
		{"move svc:Cache by:5x7", "X,Y", `move "svc:Cache" by:5,7`},
		{"move svc:Cache to:1,2 by:3,4", "one of", "move \"svc:Cache\" by:3,4\nmove \"svc:Cache\" to:1,2"},
		{"move AuthStore to:-900,0", "outside Back", "move AuthStore to:-900,0 in:none"},
		{"move P9 in:Desk", "say which lane", "move P9 in:Front\nmove P9 in:Rear"},
		{"copy svc:Cache Cache9", "one too many", "copy \"svc:Cache\" as:Cache9"},
		{"repeat svc:Cache 2", "one too many", "repeat \"svc:Cache\" count:2"},
		{"repeat svc:Cache", "needs count", ""},
		{"resize db:Cache +20x+10", "is not a size WxH", "resize \"db:Cache\" 20x10"},
		{"resize db:Cache 90 70", "one size", "resize \"db:Cache\" 90x70"},
		{"resize db:Cache abc", "is not a size WxH", ""},
		{"rotate P9 900", "not an angle", "rotate P9 180"},
		{"align AuthService AuthStore lfet", "a side", "align AuthService AuthStore left"},
		{"align AuthService AuthStore", "a side", ""},
		{"align P9 left", "two shapes", ""},
		{"order P9 top", "front or back", "order P9 front"},
		{"orient down", "not one of", "orient TB"},
		{"layout algo:tre", "is not one of", "layout algo:tree"},
		{"layout algo:grid dir:LR", "no direction", "layout algo:grid"},
		{"group AuthService AuthStore", "as:NAME", ""},
		{"ungroup db:Cache", "is not a group", "?map"},
		{"modify P9 type:group", "a shape cannot become one", ""},
		{"modify P9 type:databse", "unknown type", "modify P9 type:db"},
		{"modify P9 type:scv", "unknown type", "modify P9 type:svc"},
		{"page create Third", "unknown", "page add Third\n?pages"},
		{"page rename Other", "takes 2 words", "?pages"},
		{"page add Two Words", "takes 1 word", "page add \"Two Words\"\n?pages"},
		{"page 2", "page 2 is unknown", "page switch 2\n?pages"},
		{"page delete 2", "unknown", "page remove 2\n?pages"},
		{"page remove Secon", "no page", "page remove Second"},
		{"page switch 9", "there is no page 9", "?pages"},
		{"page add Second", "called", "page switch Second"},
		{"layer add L3", "unknown", "layer create L3\n?layers"},
		{"layer L2", "unknown", "layer switch L2\n?layers"},
		{"layer delete L2", "unknown", "layer remove L2\n?layers"},
		{"layer create L2", "already has that name", "layer switch L2"},
		{"layer move L2 9", "not a layer position", "layer move L2 2"},
		{"define fn base:bx", "unknown type", "define fn base:box"},
		{"define fn base:pool", "simple types", ""},
		{"define thme night fill:red stroke:red", "theme NAME", "define theme night fill:red stroke:red"},
		{"load awz", "unknown pack", "load aws"},
		{"add box X in:Bak", "no group", "add box X in:Back"},
		{"add box X in:P9", "is not a group", "?map"},
		{"add bx X", "unknown type", "add box X"},
		{"add Web Shopper", "unknown type", `add "Web Shopper"`},
		{"add rectangle R", "called box here", "add box R"},
		{"add database R", "called db here; icons of that name are in the packs aws gcp cisco", "add db R"},
		{"add group G", "called frame here, and `group A B as:NAME`", "add frame G"},
		{"add box S size:0x10", "is not a size WxH", ""},
		{"add box S size:140,60", "is not a size WxH", "add box S size:140x60"},
		{"add box S at:5", "neither X,Y nor a region", ""},
		{"add box S at:top-lfet", "neither X,Y nor a region", "add box S at:top-left"},
		{"add box S near:P9 dir:up", "not a direction", "add box S near:P9 dir:above"},
		{"add box S dir:left", "needs near", "add box S"},
		{"add box S count:0", "whole number", "add box S count:1"},
		{"add box S count:many", "whole number", ""},
		{"add box S id:n1", "taken", "add box S id:n1-2"},
		{"add box S fields:a", "is for class and entity", "add box S"},
		{"add box S colr:red", "unknown style key", "add box S color:red"},
		{"add box S tehme:blue", "unknown style key", "add box S theme:blue"},
		{"add box S bogus:1", "unknown style key", "add box S"},
		{"add image S", "needs src", ""},
	} {
		e := d.refused(c.op, c.want)
		var got []string
		for _, s := range e.Try {
			text := s.Text
			if s.Kind == abi.TryQuery {
				d.query(text)
				text = "?" + text
			}
			got = append(got, text)
		}
		if strings.Join(got, "\n") != c.tries {
			t.Errorf("%s: %s\ntry %q\nwant %q", c.op, e.Message, got, c.tries)
		}
		for _, s := range e.Try {
			if s.Kind == abi.TryQuery {
				continue
			}
			if r := d.try(s.Text); r.Error != nil {
				t.Errorf("%s: try %q: %s", c.op, s.Text, r.Error.Message)
			} else if r.Kind != abi.Unchanged { // such as a layer already in its place; the host leaves such suggestions out
				d.undo()
			}
		}
	}
}

// Repeating an op, on one cell or several, is not an error.
func TestAnOpWithNothingToChangeSucceeds(t *testing.T) {
	d := newDoc(t)
	d.run("add box A at:100,100", "add box B at:300,100", "add box C at:600,300", "connect A -> B label:x", "connect B -> C", "page add Second", "page switch 1", "layer create L2", "layer switch 1")
	for _, c := range [][2]string{
		{"title S", `title S is already set`}, {`title ""`, "already has no title"}, {"load aws", "already loaded: aws"}, {"orient landscape", "the paper is"},
		{"style A bold theme:red", "A is already in that style: bold theme:red"}, {"style A -> B dashed", "A->B is already in that style"}, {"style @type:box italic", "3 shapes are already in that style"},
		{"modify A type:db size:90x90", "A is already like that: type:db size:90x90"},
		{"label A A", `A already has the label "A"`}, {"label A -> B y", `already has the label "y"`}, {`label A -> B ""`, "already has no label"},
		{"badge A v1 at:top-left", "A is already badged like that: v1"}, {`badge A ""`, "A is already without a badge"},
		{"link A url:https://x.y", "A already has link https://x.y"}, {"link A url:none", "A already has no link"}, {"link B page:2", "already"}, {"tooltip A tip", `A already has tooltip tip`},
		{"data @type:box tier:1", "2 shapes already have tier:1"}, {`data @type:box tier:""`, "already"},
		{"move A to:140,140 strict:true", "A is already there"}, {"resize A 150x70", "A is already that size"}, {"rotate A 45", "A is already rotated like that"}, {"rotate A 0", "already rotated like that"},
		{"align A B C left", "3 shapes are already aligned left"}, {"distribute A B C vertical spacing:40", "3 shapes are already distributed vertical"}, {"order C back", "C is already drawn at the back"},
		{"layout", "already laid out like that: 3 shapes and 2 edges"}, {"orient LR", "already laid out like that"},
		{"group A B as:G", "2 shapes are already in G"}, {"group @type:box as:G", "already"},
		{"page switch 2", "page 2 Second is already the current one"}, {"page rename 2 Third", "page 2 Third already has that name"}, {"page move 2 1", ""}, {"page move Third 2", "page 2 Third is already at that place"}, {"page add Fourth", "already exists, is empty"}, {"page switch Page-1", "already the current one"},
		{"layer switch L2", "layer 2 L2 is already the current one"}, {"layer hide L2", "already hidden"}, {"layer show L2", "already shown"}, {"layer lock 1", "already locked"}, {"layer unlock 1", "already unlocked"},
		{"layer rename L2 L3", ""}, {"layer rename L3 L3", "is already called that"}, {"layer move L3 1", "layer 1 L3 is already at that place"}, {"layer move G to:L3", "G is already on layer 1 L3"}, {"layer create L9", "layer 3 L9 already exists, and is the current one"},
		{"define fn base:svc theme:red", "type fn is already defined like that"}, {"define theme night fill:black stroke:white", "theme night is already defined like that"},
	} {
		if r := d.try(c[0]); r.Error != nil {
			t.Errorf("%s: %s", c[0], r.Error.Message)
			continue
		}
		if c[1] != "" {
			d.unchanged(c[0], c[1])
		}
	}
	// It succeeds if some of the cells change.
	d.run("add box E at:900,900", "style E dotted")
	if r := d.try("style @type:box dotted"); r.Error != nil || r.Kind != abi.Bulk {
		t.Errorf("%+v", r)
	}
}

func TestNamesIgnoreCaseAndTypesMayBeAbbreviated(t *testing.T) {
	d := newDoc(t)
	d.run("add SVC A at:TOP-LEFT theme:BLUE", "add decis Valid near:A dir:RIGHT", "define Crate base:BOX theme:Red", "add CRATE C", "add cra C2", "load AWS", "add LAMBDA L", "group A Valid as:G")
	for _, q := range []string{"list @type:SVC", "list @type:decis", "list @type:Crate", "list @type:Lambda", "list @theme:BLUE", "list @group:g", "list @layer:BACKGROUND", "list @page:PAGE-1"} {
		if got := d.query(q); got == "nothing" {
			t.Errorf("%s: %s", q, got)
		}
	}
	d.run("layout algo:FORCE", "layout algo:LAYERED dir:lr", "connect A -> L style:DASHED target-arrow:OPEN exit:RIGHT", "style A -> L source-arrow:ermany", "style A BOLD Fill:RED align:LEFT FONTSIZE:14 glass:1",
		"modify C type:CIRC", "align C L LEFT", "distribute C C2 HORIZONTAL spacing:20", "order A BACK", "orient LANDSCAPE", "badge A 1 at:TOP-LEFT", "move C in:NONE to:900,900", "add pool P lanes:x,y flow:tb", "link A url:NONE", "LAYER HIDE background")
	if s := d.in.Model().Current.Cell("n1").Style; !s.Is("fillColor", "#ff0000") || !s.Is("fontSize", "14") || !s.Is("align", "left") {
		t.Errorf("A has the style %s", s)
	}
	if e := d.refused("add ta2 X", "unknown type"); len(e.Try) > 0 && e.Try[0].Text == "add table X" {
		t.Log("near")
	}
	if e := d.refused("add DOX X", "unknown type"); len(e.Try) == 0 || e.Try[0].Text != "add doc X" && e.Try[0].Text != "add box X" {
		t.Errorf("try %v", e.Try)
	}
	// A destructive op takes no abbreviations, not even of types.
	d.refused("remove @type:decis", "unknown type")
}

func TestAddTakesTheColoursAndKeysOfStyle(t *testing.T) {
	d := newDoc(t)
	d.run("add svc A fill:red", "add svc B color:red", "add svc C colour:red stroke:navy font-color:white", "add svc D theme:blue fill:#ff0000 opacity:50 fontSize:14", "add doc E background:red")
	for _, id := range []string{"n1", "n2", "n3", "n4"} {
		if s := d.in.Model().Current.Cell(id).Style; !s.Is("fillColor", "#ff0000") {
			t.Errorf("%s has the style %s", id, s)
		}
	}
	d.run("style A color:blue", "modify A border:green textColor:black")
	if s := d.in.Model().Current.Cell("n1").Style; !s.Is("fillColor", "#0000ff") || !s.Is("strokeColor", "#008000") || !s.Is("fontColor", "#000000") {
		t.Errorf("A has the style %s", s)
	}
	d.refused("add svc X target-arrow:open", "for edges")
	d.refused("add svc X fill:nocolour", "not a colour")
}

func TestCopiesGoWhereThereIsRoom(t *testing.T) {
	d := newDoc(t)
	d.run("add box A at:100,100", "add box B at:300,100")
	if got := d.run("repeat A count:2"); got != "2 copies @(100,220 120x180): A2, A3" {
		t.Error(got)
	}
	if got := d.run("repeat B count:2"); got != "2 copies @(480,100 300x60): B2, B3" {
		t.Error(got)
	}
}

func TestARefusedQueryShowsOneThatWorks(t *testing.T) {
	d := newDoc(t)
	d.run("add box A", "add box A at:500,500")
	for _, q := range []string{"list @page:9", "list @connected:A", "list @type:warp", "list @type:bx", "list @layer:9", "list box", "list type:box", "list A",
		"describe", "describe A", "describe Nope", "connections A", "connections", "find", "preview page:9", "preview svg", "preview format:gif", "types awz queue"} {
		o, err := grammar.ParseQuery(q)
		if err != nil {
			t.Fatal(err)
		}
		_, err = d.ask(q)
		e, ok := err.(*pdk.Error)
		if !ok || len(e.Tries) == 0 {
			t.Errorf("%s: %v without a suggestion", q, err)
			continue
		}
		for _, s := range e.Tries {
			if _, err := d.ask(s.Text); err != nil {
				t.Errorf("%s: try %q: %v", o.Raw, s.Text, err)
			}
		}
	}
}

func TestACopyThatGoesElsewhereIsReported(t *testing.T) {
	d := newDoc(t)
	d.run("add box A at:100,100")
	if r := d.try("copy A to:110,110"); len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "110,110 was taken") {
		t.Errorf("%q %q", r.Text, r.Warnings)
	}
	for _, op := range []string{"copy n1 to:110,110 strict:true", "copy n1 to:900,900", "copy n1", "copy n1 to:top-left"} {
		if r := d.try(op); r.Error != nil || len(r.Warnings) != 0 {
			t.Errorf("%s: %v %q", op, r.Error, r.Warnings)
		}
	}
}

func TestALabelThatDoesNotFitIsReported(t *testing.T) {
	d := newDoc(t)
	for _, c := range []struct {
		op   string
		tell bool
	}{
		{"add box Short", false},
		{`add box A size:60x20 label:"A label that is much too long for it"`, true},
		{`label Short "A label that is much too long for such a shape, which is why it has to say so, in so many words"`, true},
		{"resize A size:300x60", false},
		{"resize A size:40x40", true},
		{`modify A size:300x60`, false},
		{"add actor Somebody", false},
	} {
		r := d.try(c.op)
		if r.Error != nil || (len(r.Warnings) > 0) != c.tell {
			t.Errorf("%s: %v %q", c.op, r.Error, r.Warnings)
		}
	}
}

func TestNearAFullGroupPlacesAShapeBesideIt(t *testing.T) {
	d := newDoc(t)
	d.run("add box A at:300,300", "add box B near:A dir:right", "group A B as:G")
	r := d.try("add box C near:A dir:above")
	if r.Error != nil || len(r.Warnings) != 1 || r.Warnings[0] != "A has no room there in G, so C is beside G" {
		t.Errorf("%v %q", r.Error, r.Warnings)
	}
	if got := d.query("list @group:G"); strings.Contains(got, "C(") {
		t.Error(got)
	}
	if got := d.query("lint"); strings.Contains(got, "overlap") {
		t.Error(got)
	}
}
