package script

import (
	"strings"
	"testing"
)

func TestProgramsDoWhatTheySay(t *testing.T) {
	for src, want := range map[string]string{
		`out = 1 + 2 * 3 - 4 / 2`:                                                          "5",
		`out = "a" + 1 + null + [1, 2].includes("2"); out += true`:                         "a1nulltruetrue",
		`var a = 0; for (var i = 0; i < 5; i++) { if (i == 3) continue; a += i; } out = a`: "7",
		`var a = 0; while (true) { if (++a > 9) break; } out = a--; out += "" + a`:         "109",
		`try { null.x; out = 1 } catch (e) { out = 2 }`:                                    "2",
		`var a = 0; do { a += 2 } while (a < 5); out = a`:                                  "6",
		`function f(x) { return g(x) + 1; } function g(x) { return x * 2 } out = f(4)`:     "9",
		`function A() { this.n = 2 }; A.prototype.m = function(k) { return this.n * k }; function B() { A.call(this) }; B.prototype.m = A.prototype.m; out = new B().m(3)`: "6",
		`switch ("b") { case "a": out = 1; break; case "b": out = 2; case "c": out += 10; break; default: out = 0 }`:                                                       "12",
		`var l = [1, 2]; l.push(3); l[4] = 5; out = l.length + ":" + l[2] + l[3]`:                                                                                          "5:3null",
		`out = ("1,22,3").split(",")[1].charAt(0) + "abcd".substring(1, 3)`:                                                                                                "2bc",
		`var o = {a: 1, 'b c': 2}; o["d"] = o.a + o["b c"]; out = o.d + ("a" in o ? "y" : "n") + o.none`:                                                                   "3ynull",
		`var n = null; out = (n == undefined && n != 0 && "2" == 2 && !("" || 0)) ? 1 : 2; // end`:                                                                         "1",
		`out = typeof 1 + typeof "" + typeof {} + typeof function() {}; /* a */`:                                                                                           "numberstringobjectfunction",
		`var f = function() { var i = 1; return function() { return i++ } }(); f(); out = f()`:                                                                             "2",
		`out = 7 % 3 + (5 & 6) + (1 << 3) + .5e1 + (-3 >> 1)`:                                                                                                              "16",
	} {
		globals := map[string]Value{"out": nil}
		m := New(globals)
		m.Steps = 1000
		if err := m.Run(src); err != nil {
			t.Errorf("%s: %v", src, err)
		} else if got := String(globals["out"]); got != want {
			t.Errorf("%s: %s, not %s", src, got, want)
		}
	}
}

func TestAnErrorEndsTheProgram(t *testing.T) {
	for src, want := range map[string]string{
		`while (true) {}`:          "too many steps",
		`function f() { f() } f()`: "too deep",
		`null.x`:                   "null has no property x",
		`var a = 1; a()`:           "not a function",
		`1 = 2`:                    "assigned",
		`if (`:                     "want a value",
		`"abc`:                     "no end",
		`/* abc`:                   "no end",
		`a # b`:                    "unexpected",
		`var a = []; a["x"].y = 2`: "only on objects",
		`5++`:                      "incremented",
	} {
		m := New(map[string]Value{})
		m.Steps = 10_000
		if err := m.Run(src); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %s", src, err, want)
		}
	}
}

func TestJSONIsReadAsFarAsShapesUseIt(t *testing.T) {
	for src, want := range map[string]string{"[[0.25,0],[-1, 2]]": "0.25,0,-1,2", `["a"]`: "a", "[": "null", "[1": "null", "{}": "null", "a()": "null", "[1]2": "null", "": "null"} {
		if got := String(JSON(src)); got != want {
			t.Errorf("%s is %s", src, got)
		}
	}
}

func FuzzRun(f *testing.F) {
	f.Add(`for (var i = 0; i < 3; i++) { a.b(c[1], function(x) { return {d: -x} }) }`)
	f.Fuzz(func(t *testing.T, src string) {
		m := New(map[string]Value{"a": NewObject(nil)})
		m.Steps = 1000
		m.Run(src)
		JSON(src)
	})
}

func TestCompactKeepsTheBehaviourOfAProgram(t *testing.T) {
	src := "/* a */\nvar a = 1; // b\nfunction f(x)\n{\n\treturn a - -x + 'it\\'s' ;\n}\nA.big = function() { g() };\nout = f(2)"
	got, err := Compact(src, func(words []string) bool { return words[0] == "A" })
	if err != nil || strings.Contains(got, "big") || strings.Contains(got, "  ") || strings.Contains(got, "/*") {
		t.Errorf("%v: %s", err, got)
	}
	globals := map[string]Value{"out": nil}
	m := New(globals)
	m.Steps = 100
	if err := m.Run(got); err != nil || globals["out"] != "3it's" {
		t.Errorf("%v: %v of %s", err, globals["out"], got)
	}
}
