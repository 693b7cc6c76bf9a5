package diagram

import "testing"

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
	} {
		e := d.refused(c.op, c.want)
		if len(e.Try) == 0 || e.Try[0] != c.try {
			t.Errorf("%s: try %q, want %q", c.op, e.Try, c.try)
			continue
		}
		d.run(e.Try[0])
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
