package main

import (
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

func TestTheSeedsExampleWorksAsWritten(t *testing.T) {
	doc := pdktest.New(t, domain(), `"My Song"`)
	doc.Fail("note Piano C4 at:1.1 dur:quarter vel:mf", `Track "Piano" not found`, "track add Piano instrument:acoustic-grand-piano")
	doc.Fail("note Drums kick", "track add Drums instrument:standard-kit")
	got := doc.Do("track add Piano instrument:acoustic-grand-piano",
		"note Piano C4 at:1.1 dur:quarter vel:mf", "note Piano E4 at:1.2 dur:quarter vel:mf", "note Piano G4 at:1.3 dur:quarter vel:mf")
	want := `+ Track Piano ch:1 acoustic-grand-piano
+ Note C4 on Piano at 1.1 dur:quarter vel:80
+ Note E4 on Piano at 1.2 dur:quarter vel:80
+ Note G4 on Piano at 1.3 dur:quarter vel:80`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := doc.Digest(), "1t 3n tempo:120 4/4 C-major 1bar"; got != want {
		t.Errorf("digest %q, want %q", got, want)
	}
}

func TestTheDomainKeepsItsLaws(t *testing.T) {
	pdktest.Laws(t, domain(), "track add Piano", "note Piano C4 E4", "note Piano rest", "chord Piano Am7 G7/B dur:half",
		"tempo 90 at:2.1", "time-sig 3/4 at:3.1", "key-sig Am", "marker Verse at:2.1", "title X", "cc Piano volume 100", "cc Piano volume 90",
		"remove @pitch:C4", "track rename Piano Keys", "track add Drums", "note Drums kick snare at:1.1", "track remove Keys", "tempo 0")
}
