package diagram

import (
	"errors"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/host/grammar"
	"github.com/fcp-host/fcp-host/pdk"
)

func TestARefusalSuggestsTheOpWithAnotherName(t *testing.T) {
	d := newDoc(t)
	d.run("add svc Cache", "add db Cache", "add box AuthService", "add box AuthStore", "group AuthService AuthStore as:Back", "define theme brand fill:#abcdef stroke:navy")
	for _, c := range []struct{ op, want, try string }{
		{"connect Cache -> AuthStore", "ambiguous", `connect "svc:Cache" -> AuthStore`},
		{"style Auth bold", "the beginning of several", "style AuthService bold"},
		{"style AuthServise italic", "not found", "style AuthService italic"},
		{"add box X theme:bleu", "unknown theme", "add box X theme:blue"},
		{"style AuthStore theme:brnd", "unknown theme", "style AuthStore theme:brand"},
		{"style AuthStore boldd", "unknown style", "style AuthStore bold"},
		{"add box X in:Bak", "no group", "add box X in:Back"},
		{"add bx X", "unknown type", "add box X"},
		{"style AuthService AuthStore dotted", "one too many", "style AuthService dotted"},
		{"style AuthStore color:red", "called fill here", "style AuthStore fill:red"},
		{"style AuthStore background-color:navy italic", "called fill here", "style AuthStore italic fill:navy"},
		{"style AuthStore bold bold", "", ""},
		{"label AuthStore Two words", "one text", `label AuthStore "Two words"`},
		{"label \"Two words\" AuthStore anew", "one text", `label "Two words" "AuthStore anew"`},
		{"label \"AuthStore anew\" AuthStore", "", ""},
		{"link AuthStore https://x.y", "one too many", `link AuthStore url:"https://x.y"`},
		{"move AuthStore 400,200 now", "places are", "move AuthStore by:100,0"},
		{"move svc:Cache 900,200", "places are", "move \"svc:Cache\" to:900,200"},
		{"move svc:Cache down", "places are", "move \"svc:Cache\" by:0,100"},
		{"copy svc:Cache Cache9", "one too many", "copy \"svc:Cache\" as:Cache9"},
		{"repeat svc:Cache 2", "one too many", "repeat \"svc:Cache\" count:2"},
		{"resize db:Cache +20x+10", "is not WxH", "resize \"db:Cache\" 140x60"},
		{"ungroup db:Cache", "is no group", "ungroup Back"},
		{"page create Second", "unknown", "page add Second"},
		{"page rename Other", "takes 2 words", "page rename 2 Other"},
		{"page 1", "page 1 is unknown", "page switch 1"},
		{"page delete 2", "unknown", "page remove 2"},
		{"layer add L2", "unknown", "layer create L2"},
		{"layer switch 1", "", ""},
		{"layer L2", "unknown", "layer switch L2"},
		{"layer delete L2", "unknown", "layer remove L2"},
		{"define fn base:bx", "unknown type", "define fn base:box"},
		{"style Wholly bold", "the query map shows", "map"},
		{"add rectangle R", "called box here", "add box R"},
		{"add database R", "called db here; icons of that name are in the packs aws gcp cisco", "add db R"},
		{"add group G", "called frame here, and `group A B as:NAME`", "add frame G"},
		{"add box S size:0x10", "is not WxH", "add box S size:140x60"},
		{"add box S at:5", "neither X,Y nor a region", "add box S at:200,120"},
		{"add box S near:AuthService dir:up", "not a direction", "add box S near:AuthService dir:above"},
		{"add box S count:0", "whole number", "add box S count:1"},
		{"style AuthStore fill:bleu", "not a colour", "style AuthStore fill:blue"},
		{"connect AuthService -> AuthStore target-arrow:opn", "unknown head", "connect AuthService -> AuthStore target-arrow:open"},
		{"connect AuthService -> AuthStore style:dahsed", "unknown style", "connect AuthService -> AuthStore style:dashed"},
		{"style AuthService -> AuthStore curved", "ambiguous; name one by its id", "style n21 curved"},
		{"disconnect AuthService -> AuthStore", "ambiguous; name one by its id", "remove n21"},
		{"remove AuthService AuthStore", "one too many", "remove AuthService"},
		{"add box P9", "", ""},
		{"style P9 strokeWidth:-3", "from 0 to 100", "style P9 strokeWidth:2"},
		{"style P9 fontSize:0", "from 1 to 400", "style P9 fontSize:14"},
		{"style P9 arcSize:-1", "from 0 to", "style P9 arcSize:1"},
		{"style P9 gradientColor:nocolour", "not a colour", "style P9 gradientColor:#dae8fc"},
		{"style P9 glass:7", "not one of 0 1", "style P9 glass:1"},
		{"style P9 red", "a colour goes behind fill: or stroke:", "style P9 fill:red"},
		{"style P9 font:\"\"", "needs a family", "style P9 font:Helvetica"},
		{"style P9 sparkling", "styles: solid dashed", "style P9 bold"},
		{"style P9 strokewidht:4", "unknown style key", "style P9 stroke-width:4"},
		{"disconnect P9 -> AuthStore", "no connection", "connections P9"},
		{"modify P9 type:group", "nothing turns into one", "add frame P9"},
		{"style @type:warp bold", "on this page: svc db", "style bold @type:svc"},
	} {
		if c.want == "" {
			d.try(c.op)
			continue
		}
		e := d.refused(c.op, c.want)
		if len(e.Try) == 0 || e.Try[0].Text != c.try {
			t.Errorf("%s: try %q, want %q", c.op, e.Try, c.try)
			continue
		}
		if q, _ := grammar.ParseQuery(c.try); d.knowsQuery(q.Verb) {
			d.query(c.try)
		} else {
			d.run(e.Try[0].Text)
		}
	}
}

func TestCopiesStandWhereThereIsRoom(t *testing.T) {
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
	for _, q := range []string{"list @theme:zz", "list @orphan:x", "list @recent:0", "list @page:9", "list @connected:A", "list @type:warp", "list @layer:9",
		"describe A", "describe Nope", "describe A -> A", "connections A", "connections", "find", "map 2", "stats x", "preview page:9", "preview width:1", "preview bogus:1", "types a b c d", "lint x", "pages x", "layers x"} {
		_, err := d.ask(q)
		var e *pdk.Error
		if !errors.As(err, &e) || len(e.Tries) == 0 {
			t.Errorf("%s: %v without a suggestion", q, err)
			continue
		}
		for _, s := range e.Tries {
			if op, err := grammar.ParseQuery(s.Text); err != nil {
				t.Errorf("%s: try %q: %v", q, s, err)
			} else if _, err := d.ask(s.Text); d.knowsQuery(op.Verb) && err != nil {
				t.Errorf("%s: try %q: %v", q, s, err)
			}
		}
	}
}

func TestACopyThatCannotLieWhereItWasToSaysSo(t *testing.T) {
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

func TestALabelWithoutRoomIsToldAtOnce(t *testing.T) {
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

func TestNearTheEdgeOfAGroupIsBesideIt(t *testing.T) {
	d := newDoc(t)
	d.run("add box A at:300,300", "add box B near:A dir:right", "group A B as:G")
	r := d.try("add box C near:A dir:above")
	if r.Error != nil || len(r.Warnings) != 1 || r.Warnings[0] != "A has no room there in G, so C lies beside G" {
		t.Errorf("%v %q", r.Error, r.Warnings)
	}
	if got := d.query("list @group:G"); strings.Contains(got, "C(") {
		t.Error(got)
	}
	if got := d.query("lint"); strings.Contains(got, "overlap") {
		t.Error(got)
	}
}
