package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

func TestATempoOfARangeEndsWithIt(t *testing.T) {
	for _, c := range []struct {
		name  string
		ops   []string
		want  []string // the tempo events, in order
		reply string
	}{
		{"a note sounds on", []string{"note Piano C4 at:3.1 dur:3bars", "tempo 60 @range:3-4"}, []string{"120", "60", "120"}, "* Tempo 60 from 3.1 to 5.1, then 120 as before"},
		{"a fade follows", []string{"note Piano C4 at:3.1 dur:2bars", "cc Piano volume 20 at:5.3", "tempo 60 @range:3-4"}, []string{"120", "60", "120"}, "* Tempo 60 from 3.1 to 5.1, then 120 as before"},
		{"nothing follows", []string{"note Piano C4 at:3.1 dur:2bars", "tempo 60 @range:3-4"}, []string{"120", "60"}, "* Tempo 60 from 3.1 to 5.1, where the song ends"},
		{"a range of one tempo", []string{"note Piano C4 at:1.1 dur:5bars", "tempo 60-60 @range:2-2"}, []string{"120", "60", "120"}, "* Tempo 60 from 2.1 to 3.1, then 120 as before"},
		{"a ramp under a note that sounds on", []string{"note Piano C4 at:1.1 dur:3bars", "tempo 120-60 @range:2-2 step:half"}, []string{"120", "120", "90", "60"}, "+ Tempo 120-60 from 2.1 to 3.1: 3 steps"},
		{"a ramp to another tempo", []string{"note Piano C4 at:1.1 dur:3bars", "tempo 100 at:3.1", "tempo 120-60 @range:2-2 step:half"}, []string{"120", "120", "60", "100"},
			"+ Tempo 120-60 from 2.1 to 3.1: 2 steps\n? then 100 as before; tempo 60 at:3.1 keeps the ramp's last tempo"},
		{"the same ramp to another tempo in one step", []string{"tempo 100 at:3.1", "tempo 120-60 @range:2-2 step:1bar"}, []string{"120", "120", "60", "100"},
			"+ Tempo 120-60 from 2.1 to 3.1: 2 steps\n? then 100 as before; tempo 60 at:3.1 keeps the ramp's last tempo"},
		{"a ramp of factors between sparse tempi", []string{"note Piano C4 at:1.1 dur:5bars", "tempo x1-x0.5 @range:2-2"}, []string{"120", "105", "90", "75", "120"}, "* Tempo x1-x0.5 from 2.1 to 3.1: 120 to 120, 0 changes of the tempo scaled, 4 new, then 120 as before"},
		{"a ramp of factors keeps what is played", []string{"note Piano C4 at:1.1 dur:5bars", "tempo 100 at:2.2.120", "tempo 80 at:2.3", "tempo 100%-50% @range:2-2 step:half"}, []string{"120", "84.38", "60", "80"}, "* Tempo 100%-50% from 2.1 to 3.1: 120 to 80, 2 changes of the tempo scaled, 1 new, then 80 as before"},
		{"a ramp of factors ends with the last note", []string{"note Piano C4 dur:half", "note Piano C4 at:2.3", "tempo x1-0.5 @range:1-2 step:3beats"}, []string{"120", "90", "60"}, "* Tempo x1-0.5 from 1.1 to 2.3: 120 to 60, 0 changes of the tempo scaled, 2 new, where the song ends"},
		{"a ramp to a tempo that is there", []string{"tempo 60 at:3.1", "tempo 120-60 @range:2-2 step:half"}, []string{"120", "120", "90", "60"}, "+ Tempo 120-60 from 2.1 to 3.1: 2 steps"},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := band(t, c.ops[:len(c.ops)-1]...)
			reply := doc.Do(c.ops[len(c.ops)-1])
			if got := clockOf(t, doc); !slices.Equal(got, c.want) || reply != c.reply {
				t.Errorf("%v: the tempi are %v, want %v; the reply is\n%s\nwant\n%s", c.ops, got, c.want, reply, c.reply)
			}
		})
	}
}

func TestManyTempoChangesAreListedBarByBarAndInARangeOneByOne(t *testing.T) {
	ops := []string{"track add Piano", "note Piano C4 at:8.4"}
	for bar := 1; bar <= 7; bar++ {
		for beat := range 6 {
			ops = append(ops, fmt.Sprintf("tempo %d at:%d.1.%d", 100+10*bar-3*beat, bar, beat*60))
		}
	}
	doc := pdktest.New(t, domain(), `"Song"`)
	doc.Do(ops...)
	got := doc.Query("tempo")
	for _, want := range []string{"1    110 bpm, 6 in all, 95-110, 0:00.000", "7    170 bpm, 6 in all, 155-170, ", "all changes of bars: tempo @range:P-P", "9.1       end, "} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if n := strings.Count(got, "\n"); n > 9 {
		t.Errorf("%d lines:\n%s", n, got)
	}
	if got, want := doc.Query("map"), "Tempo: 41 changes, 95 to 170"; !strings.Contains(got, want) {
		t.Errorf("%q is missing in\n%s", want, got)
	}
	if got := doc.Query("tempo @range:3.1-3.1.100"); !strings.HasPrefix(got, "3.1       130 bpm, from ") || !strings.Contains(got, "\n3.1.60    127 bpm, from ") || strings.Count(got, "\n") != 2 {
		t.Errorf("tempo of a range:\n%s", got)
	}
	// The tempo that holds at the begin of a range is part of it.
	if got := doc.Query("tempo @range:8-8"); !strings.HasPrefix(got, "7.1.300   155 bpm, from ") {
		t.Errorf("tempo of bar 8:\n%s", got)
	}
	doc.QueryFails("tempo @track:Piano", "tempo takes @range:P-P")
}
