package main

import (
	"strings"
	"testing"
)

func TestNoVerbOrQueryIgnoresAParameter(t *testing.T) {
	doc := band(t, `progression Piano "C F G C"`, "note Bass C2 at:1.1 dur:4bars", "beat Drums kick:x...", "marker Verse at:1.1", "marker Chorus at:3.1")
	for _, v := range domain().Verbs {
		for _, example := range v.Examples {
			first, rest, _ := strings.Cut(example, "\n")
			doc.Fail(strings.TrimSuffix(first+" bogus:1\n"+rest, "\n"), "bogus")
		}
	}
	for _, q := range domain().Queries {
		if q.Takes == nil { // the host refuses what is not in it
			t.Errorf("%s does not say what it takes", q.Name)
		}
	}
}
