package pdk_test

import "testing"

// Models quote the items of a list one by one if these contain blanks.
func TestItemsOfAListMayBeQuotedOneByOne(t *testing.T) {
	for op, want := range map[string]string{
		`add pool Bank lanes:"Front office","Risk","Back office" in:X`: `add pool Bank lanes:"Front office,Risk,Back office" in:X`,
		`add table lanes:"Plan name", Price , "Term"; in:X Plans`:      `add table Plans lanes:"Plan name,Price,Term" in:X`,
		`add pool lanes:Sales,"Back office" Bank`:                      `add pool Bank lanes:"Sales,Back office"`,
		`add pool lanes:'It\'s','a "b" c', "d \"e\" f"`:                `add pool lanes:"It's,a \"b\" c,d \"e\" f"`,
		`add pool lanes:"A b","C d", in:X`:                             `add pool lanes:"A b,C d" in:X`,
		`add pool cols:"A b","9"; "C d","4"`:                           `add pool cols:"A b,9;C d,4"`,
		`add pool cols:"A b";"C d"`:                                    `add pool cols:"A b,C d"`,
		`add pool lanes:"A b, C d" Bank "x y"`:                         `add pool Bank "x y" lanes:"A b, C d"`,
		`add pool lanes:Sales,Risk Bank`:                               `add pool Bank lanes:Sales,Risk`,
		`add pool in:"A b","C"`:                                        `add pool in:"A b,C"`,
		`add pool d" lanes:"A b","c d" d"`:                             `add pool d" d" lanes:"A b,c d"`,
	} {
		a := args(t, op)
		before := a.Mended()
		got, wanted := a.Listed(",", "lanes", "cols").Mended(), args(t, want).Mended()
		if got != wanted {
			t.Errorf("%s\n reads %s\nnot %s", op, got, wanted)
		}
		if a.Mended() != before {
			t.Errorf("%s was changed", op)
		}
	}
}
