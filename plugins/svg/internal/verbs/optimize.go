package verbs

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
)

func optimizeVerb() verb {
	return verb{Run: running(runOptimize), Keys: []pdk.Parameter{precision, keep}, Verb: abi.Verb{
		Syntax: "optimize [precision:DIGITS] [keep:numbers,looks,defs,groups]", Category: "document",
		Brief:    "optimize [precision:3 keep:numbers,looks,defs,groups] · shorter numbers, colours and styles, no unused definitions and empty groups",
		Summary:  "shorten numbers, paths, transforms, colours and styles, and remove unused definitions and empty groups; the picture stays the same",
		Examples: []string{"optimize", "optimize precision:2 keep:defs"},
	}}
}

var precision = value.Key[int]{Name: "precision", Type: value.Int(0, 6), Default: 3, About: " digits after the point of a pixel as shown"}

// keep lists the parts of the work that are left out.
var keep = value.Key[map[string]bool]{Name: "keep", About: " that are left alone", Type: value.Type[map[string]bool]{Takes: "numbers,looks,defs,groups", Parse: func(s string) (map[string]bool, error) {
	out := map[string]bool{}
	for w := range strings.SplitSeq(s, ",") {
		part, err := value.OneOf("numbers", "looks", "defs", "groups").Parse(w)
		if err != nil && w != "" {
			return nil, err
		}
		out[part] = true
	}
	return out, nil
}}}

func runOptimize(o *op) error {
	keep := keep.Of(o.a)
	before := len(o.f.Text())
	shorter, gone := 0, 0
	s := o.shortener(precision.Of(o.a))
	s.numbers, s.looks = !keep["numbers"], s.looks && !keep["looks"]
	for n := range o.f.Root.All() {
		was := n.Tag
		s.element(n)
		if n.Tag != was {
			shorter++
		}
	}
	for again := true; again; {
		again = false
		for _, n := range o.f.Unused(!keep["defs"], !keep["groups"]) {
			o.Remove(n)
			gone++
			again = true
		}
	}
	o.unchanged = "nothing to shorten"
	o.touch(o.f.Root)
	after := len(o.f.Text())
	var what []string
	if shorter > 0 {
		what = append(what, pdk.Count(shorter, "element")+" shortened")
	}
	if gone > 0 {
		what = append(what, pdk.Count(gone, "element")+" without use removed")
	}
	o.Bulk("%d bytes fewer (%d, was %d): %s", before-after, after, before, strings.Join(what, ", "))
	return nil
}
