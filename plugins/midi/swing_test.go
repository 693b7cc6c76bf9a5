package main

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
	"pgregory.net/rapid"
)

func TestSwingNamesAPlace(t *testing.T) {
	for _, c := range []struct {
		name string
		ops  []string
		want []int64
	}{
		{"triplets stay", []string{`line Piano "C5 8t, D5 8t, E5 8t"`, "swing 62 @all"}, []int64{0, 160, 320}},
		{"a shuffle of triplets stays", []string{`line Piano "C5 4t, D5 8t, E5 4t, F5 8t"`, "swing 58 @all"}, []int64{0, 320, 480, 800}},
		{"triplets of sixteenths stay", []string{`line Piano "C5 e, D5 16t, E5 16t, F5 16t, G5 e, A5 e"`, "swing 67 @all"}, []int64{0, 240, 320, 400, 480, 802}},
		{"triplets stay beside eighths", []string{`line Piano "C5 8t, D5 8t, E5 8t, C5 e, D5 e"`, "swing 67 @all"}, []int64{0, 160, 320, 480, 802}},
		{"played triplets stay", []string{"note Piano C5 at:1.1", "note Piano D5 at:1.1.155", "note Piano E5 at:1.1.324", "swing 62 @all"}, []int64{0, 155, 324}},
		{"twice is once", []string{`line Piano "C5 e, D5 e, E5 s, F5 s, G5 s, A5 s"`, "swing 67 @all", "swing 67 @all"}, []int64{0, 322, 480, 641, 802, 881}},
		{"another swing", []string{`line Piano "C5 e, D5 e"`, "swing 62 @all", "swing 67 @all"}, []int64{0, 322}},
		{"less swing", []string{`line Piano "C5 e, D5 e"`, "swing 67 @all", "swing 55 @all"}, []int64{0, 264}},
		{"straight again", []string{`line Piano "C5 e, D5 e, E5 s, F5 s, G5 s, A5 s"`, "swing 67 @all", "swing 50 @all"}, []int64{0, 240, 480, 600, 720, 840}},
		{"straight notes join swung ones", []string{`line Piano "C5 e, D5 e"`, "swing 67 @all", "note Piano E5 at:1.1.240 dur:ticks:10", `line Piano "C5 e, D5 e" at:1.3`, "swing 67 @all"}, []int64{0, 322, 322, 960, 1282}},
		{"sixteenths at three quarters", []string{`line Piano "C5 s, D5 s, E5 s, F5 s"`, "swing 75 @all", "swing 75 @all"}, []int64{0, 180, 360, 420}},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := pdktest.New(t, domain(), `"Swing"`)
			doc.Do("track add Piano")
			for _, op := range c.ops {
				doc.Do(op)
			}
			if got := starts(t, doc, 0); !slices.Equal(got, c.want) {
				t.Errorf("%v starts notes at %v, want %v", c.ops, got, c.want)
			}
		})
	}
}

func TestTheSameSwingTwiceIsThatSwing(t *testing.T) {
	files := realSongs(t)
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(files))).Draw(rt, "file")
		doc := pdktest.Open(t, domain(), "x.mid", files[name])
		op := fmt.Sprintf("swing %d @all grid:%s", rapid.IntRange(20, 80).Draw(rt, "percent"), rapid.SampledFrom([]string{"eighth", "16th", "quarter"}).Draw(rt, "grid"))
		if _, ok := doc.Try(op); !ok {
			return
		}
		once := tracksOf(doc.Save())
		reply, _ := doc.Try(op)
		twice := tracksOf(doc.Save())
		for i := range once {
			if more := gone(twice[i], once[i]); len(more) > 0 {
				rt.Fatalf("%s: %s, again, says %s and moves on track %d %d events, the first to tick %d", name, op, reply, i, len(more), more[0].tick)
			}
		}
	})
}
