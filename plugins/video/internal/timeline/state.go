package timeline

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
)

func state(f *Film) abi.State {
	return abi.State{Digest: f.digest(), Title: f.title(), Counts: f.counts(), Warnings: f.warnings()}
}

// digest prints the film's contents, length and format: 2V 1A 5clips 2tr 1txt 1m32s 1920x1080@30.
func (f *Film) digest() string {
	var parts []string
	say := func(n int, what string) {
		if n == 1 {
			what = strings.TrimSuffix(what, "s")
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d%s", n, what))
		}
	}
	tracks, n := map[byte]int{}, tally{}
	for _, t := range f.parsed().tracks {
		tracks[t.Kind]++
		n.add(t)
	}
	say(tracks[videoTrack], "V")
	say(tracks[audioTrack], "A")
	if n.clips == 0 {
		say(len(f.media()), "media")
		parts = append(parts, "0clips")
	}
	say(n.clips, "clips")
	say(n.joins, "tr")
	say(n.texts, "txt")
	parts = append(parts, f.timeText(f.Frames()), f.parsed().settings.String())
	return strings.Join(parts, " ")
}

// tally counts the contents of tracks.
type tally struct{ clips, texts, joins int }

func (n *tally) add(t *Track) {
	n.joins += len(t.Joins)
	if t.Kind == textTrack {
		n.texts += len(t.Clips)
	} else {
		n.clips += len(t.Clips)
	}
}

func (f *Film) counts() []abi.Count {
	var n tally
	for _, t := range f.parsed().tracks {
		n.add(t)
	}
	return []abi.Count{{Name: "tracks", Value: len(f.parsed().tracks)}, {Name: "clips", Value: n.clips}, {Name: "texts", Value: n.texts}, {Name: "transitions", Value: n.joins}}
}
