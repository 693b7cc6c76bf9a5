package style

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestChangesOfAStyleLeaveTheRestInItsPlace(t *testing.T) {
	for _, c := range []struct {
		name     string
		in, want Style
		do       func(Style) Style
	}{
		{"a value changes in its place", "a=1;bare;b=2;;c=3", "a=1;bare;b=X;;c=3", func(s Style) Style { return s.Set("b", "X") }},
		{"a new key goes to the end", "a=1;bare", "a=1;bare;n=1;", func(s Style) Style { return s.Set("n", "1") }},
		{"the last of several counts", "a=1;a=2;", "a=1;a=3;", func(s Style) Style { return s.Set("a", "3") }},
		{"a key is dropped everywhere", "a=1;b=2;a=3", "b=2;", func(s Style) Style { return s.Drop("a") }},
		{"a bare token of that name stays", "a;a=1;", "a;", func(s Style) Style { return s.Drop("a") }},
		{"a key that ends alike is another", "xa=1;a=2", "xa=1;", func(s Style) Style { return s.Drop("a") }},
		{"an empty style takes a key", "", "a=1;", func(s Style) Style { return s.Set("a", "1") }},
	} {
		if got := c.do(c.in); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	s := Style("ellipse;x=1;y=;x=2")
	if v, _ := s.Get("x"); v != "2" || !s.Bare("ellipse") || s.Bare("x") || s.Bare("x=1x") {
		t.Error("read wrongly")
	}
	if v, ok := s.Get("y"); v != "" || !ok {
		t.Error("an empty value is a value")
	}
}

func TestSetThenGet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Style(rapid.StringMatching(`([ab]{0,2}(=[01]{0,2})?;?){0,5}`).Draw(t, "style"))
		key := rapid.StringMatching(`[ab]{1,2}`).Draw(t, "key")
		got := s.Set(key, "v")
		if v, ok := got.Get(key); !ok || v != "v" {
			t.Fatalf("%q set %s: %q", s, key, got)
		}
		if _, ok := got.Drop(key).Get(key); ok {
			t.Fatalf("%q drop %s: %q", got, key, got.Drop(key))
		}
	})
}

func TestColours(t *testing.T) {
	for in, want := range map[string]string{"#ABC": "#aabbcc", "#12aF34": "#12af34", "Red": "#ff0000", "rebeccapurple": "#663399", "none": "none", "default": "default"} {
		if got, ok := Color(in); !ok || got != want {
			t.Errorf("%s is %q, want %q", in, got, want)
		}
	}
	for _, in := range []string{"", "#", "#12", "#12345", "#gggggg", "blurple", "a=", "red=ff0000 tan", " "} {
		if got, ok := Color(in); ok {
			t.Errorf("%q is taken as %q", in, got)
		}
	}
	if n := len(ColorNames()); n != 148 {
		t.Errorf("%d CSS names, there are 148", n)
	}
}

func TestNoKeyIsListedTwice(t *testing.T) {
	n := 0
	for _, l := range keyLists() {
		n += len(strings.Fields(l.names))
	}
	if n != len(keyTable()) {
		t.Errorf("%d names for %d keys", n, len(keyTable()))
	}
	seen := map[string]bool{}
	for _, k := range KeyNames() {
		if seen[k] {
			t.Errorf("%s is listed twice", k)
		}
		seen[k] = true
	}
}

func TestEveryShapeIsKnownByItsStyle(t *testing.T) {
	if len(Shapes()) != len(Order()) {
		t.Error("the two lists of types differ")
	}
	for _, s := range Shapes() {
		if got := s.Style.Kind(); got != s.Name {
			t.Errorf("%s is known as %s", s.Name, got)
		}
	}
	for in, want := range map[Style]string{
		"shape=mxgraph.aws4.lambda_function;": "lambda_function", "swimlane;html=1": "lane", "group": "group", "rounded=1;container=1": "group",
		"shape=image;image=x": "image", "": "box", "shape=cylinder;": "db", "shape=actor": "actor", "shape=parallelogram": "parallelogram",
	} {
		if got := in.Kind(); got != want {
			t.Errorf("%q is %s, want %s", in, got, want)
		}
	}
}

func TestGuesses(t *testing.T) {
	for label, want := range map[string]string{
		"UserDB": "db", "Order Database": "db", "AuthService": "svc", "API Gateway": "api", "Valid?": "decision", "Kafka": "queue",
		"Customer": "actor", "Internet": "cloud", "Report": "doc", "Start": "circle", "Foo": "box", "HTTPServer": "svc", "": "box",
	} {
		if got := Guess(label); got != want {
			t.Errorf("%s is guessed as %s, want %s", label, got, want)
		}
	}
	if got := strings.Join(Words("myHTTPServer v2-beta"), " "); got != "my http server v2 beta" {
		t.Error(got)
	}
}
