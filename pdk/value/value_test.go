package value_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/geom"
	"github.com/fcp-host/fcp-host/pdk/value"
)

// parsed prints a value, or the refusal with what it suggests.
func parsed[T any](t value.Type[T], s string) string {
	v, err := t.Parse(s)
	if err == nil {
		return fmt.Sprint(v)
	}
	var no *value.Invalid
	if !errors.As(err, &no) {
		return "another error: " + err.Error()
	}
	return fmt.Sprint(no.Why, no.Near)
}

func TestATypeReadsItsValuesAndSuggestsTheNearest(t *testing.T) {
	region := value.Map(value.Region, func(p value.Place) (string, error) { return value.Regions()[3*p.Row+p.Col], nil })
	const noColour = "is not a colour: a CSS name, #rgb, #rrggbb, rgb() or hsl()"
	for _, tt := range []struct{ got, want string }{
		{parsed(value.Int(1, 16), "7"), "7"},
		{parsed(value.Int(1, 16), "17"), "is not a whole number from 1 to 16[16]"},
		{parsed(value.Int(1, 16), "3.6"), "is not a whole number from 1 to 16[4]"},
		{parsed(value.Int(1, 16), "-50%"), "is not a whole number from 1 to 16[1]"},
		{parsed(value.Int(1, 16), "x"), "is not a whole number from 1 to 16[]"},
		{parsed(value.Number(0, 1.5), "0.25"), "0.25"},
		{parsed(value.Number(0, 1.5), "2"), "is not a number from 0 to 1.5[1.5]"},
		{parsed(value.Number(0, 1.5), "1e-3"), "is not a number from 0 to 1.5[]"},
		{parsed(value.Number(0, 1.5), "NaN"), "is not a number from 0 to 1.5[]"},
		{parsed(value.Bool, "Yes"), "true"},
		{parsed(value.Bool, "flase"), "is neither true nor false[false]"},
		{parsed(value.OneOf("top-left", "none"), "TOP_LEFT"), "top-left"},
		{parsed(value.OneOf("round", "bevel"), "rond"), "is not one of round bevel[round]"},
		{parsed(value.Named([]string{"low", "high"}, func(s string) int { return len(s) }), "high"), "4"},
		{parsed(value.Point(1000), "-3, 4.5"), "{-3 4.5}"},
		{parsed(value.Point(1000), "3x4"), "is not a point X,Y, such as 200,120[3,4]"},
		{parsed(value.Point(1000), "3,4000"), "is not a point X,Y, such as 200,120[]"},
		{parsed(value.Size(1, 900), "80X40"), "{80 40}"},
		{parsed(value.Size(1, 900), "80×40"), "{80 40}"},
		{parsed(value.Size(1, 900), "80,40"), "is not a size WxH with numbers from 1 to 900, such as 140x60[80x40]"},
		{parsed(value.Size(1, 900), "+80x+40"), "is not a size WxH with numbers from 1 to 900, such as 140x60[80x40]"},
		{parsed(value.Size(1, 900), "0x40"), "is not a size WxH with numbers from 1 to 900, such as 140x60[]"},
		{parsed(value.Colour("none"), "None"), "none"},
		{parsed(value.Colour(), "#FA0"), "#FA0"},
		{parsed(value.Colour(), "ff8800"), noColour + "[#ff8800]"},
		{parsed(value.Colour(), "gren"), noColour + "[green grey gray]"},
		{parsed(region, "middle-left"), "left"},
		{parsed(region, "Top Center"), "top"},
		{parsed(region, "centre"), "center"},
		{parsed(region, "left-top"), "top-left"},
		{parsed(region, "left-right"), "is not a region: top-left top top-right left center right bottom-left bottom bottom-right[]"},
		{parsed(value.Direction, "below-left"), "{-1 1}"},
		{parsed(value.Direction, "under"), "is not a direction: above below left right above-left above-right below-left below-right[below]"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %s, want %s", tt.got, tt.want)
		}
	}
}

func TestARangeIsTwoPointsInAnyOrder(t *testing.T) {
	for s, want := range map[string]string{
		"0,0-100,50": "{0 0 100 50} true", "100,50-0,0": "{0 0 100 50} true", "-5,-7--1,-2": "{-5 -7 4 5} true",
		"": "{0 0 0 0} false", "1,2": "{0 0 0 0} false", "1,2-3": "false", "1-2": "{0 0 0 0} false",
	} {
		r, ok := value.ParseRange(s)
		if got := fmt.Sprint(r, " ", ok); got != want && fmt.Sprint(ok) != want {
			t.Errorf("%q: got %s, want %s", s, got, want)
		}
	}
}

func TestANumberIsPrintedWithoutExponentAndZeros(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{value.FormatNumber(1e7), "10000000"}, {value.FormatNumber(0.1), "0.1"}, {value.FormatRounded(1.005, 2), "1"},
		{value.FormatRounded(-0.001, 2), "0"}, {value.FormatRounded(1200, 0), "1200"}, {value.FormatRounded(2.50, 3), "2.5"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %s, want %s", tt.got, tt.want)
		}
	}
}

// The domain of these tests has one verb, whose values are checked before it runs.
var (
	at    = value.Key[geom.Point]{Name: "at", Type: value.Point(1000)}
	sides = value.Key[int]{Name: "sides", Type: value.Int(3, 9), Default: 4, About: " sides"}
)

func domain() *pdk.Domain[*string] {
	return &pdk.Domain[*string]{Name: "toy", New: func(*abi.NewRequest) (*string, error) { return new(string), nil },
		State: func(*string) abi.State { return abi.State{} },
		Verbs: pdk.Declare(pdk.Verb[*string]{Verb: abi.Verb{Syntax: "draw NAME CORNER [at:X,Y] [sides:N]", Summary: "draw"}, Keys: []pdk.Parameter{at, sides},
			Run: func(c *pdk.Ctx[*string], a pdk.Args) error {
				corner, err := value.OneOf("round", "sharp").Word(a, 1, "the corner")
				if err != nil {
					return err
				}
				p, given := at.Lookup(a)
				c.Changed("%s %s %v %v %d", a.Text(0), corner, p, given, sides.Of(a))
				return nil
			}})}
}

func TestAVerbGetsCheckedValues(t *testing.T) {
	v := domain().Manifest().Verbs[0]
	want := []abi.Param{{Key: "at", Value: "X,Y"}, {Key: "sides", Value: "3-9 sides"}}
	if v.Name != "draw" || v.Min != 2 || v.Max != 2 || !slices.Equal(v.Params, want) {
		t.Errorf("the manifest has %+v", v)
	}
	op := func(corner string, params ...abi.KeyValue) abi.Op {
		return abi.Op{Verb: "draw", Positionals: []abi.Positional{{Text: "a b"}, {Text: corner}}, Params: params}
	}
	in := pdk.NewInstance(domain())
	if _, err := in.New(&abi.NewRequest{}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		op   abi.Op
		want string
	}{
		{op("round"), "a b round {0 0} false 4"},
		{op("sharp", abi.KeyValue{Key: "at", Value: "1,2"}, abi.KeyValue{Key: "sides", Value: "5"}), "a b sharp {1 2} true 5"},
		{op("round", abi.KeyValue{Key: "sides", Value: "12"}), `sides:12 is not a whole number from 3 to 9; draw "a b" round sides:9`},
		{op("round", abi.KeyValue{Key: "at", Value: "-1;2"}), `at:-1;2 is not a point X,Y, such as 200,120; draw "a b" round at:-1,2`},
		{op("round", abi.KeyValue{Key: "at", Value: "1;2"}), `at:1;2 is not a point X,Y, such as 200,120; draw "a b" round at:1,2`},
		{op("sharpe"), `the corner sharpe is not one of round sharp; draw "a b" sharp`},
	} {
		out, err := in.Apply(&abi.ApplyRequest{Ops: []abi.Op{tt.op}})
		if err != nil {
			t.Fatal(err)
		}
		got := out.Results[0].Text
		if e := out.Results[0].Error; e != nil {
			got = e.Message
			for _, s := range e.Try {
				got += "; " + s.Text
			}
		}
		if got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}
