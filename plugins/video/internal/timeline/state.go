package timeline

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
)

func filmState(f *film.Film) abi.State {
	return abi.State{Digest: digest(f), Title: filmTitle(f), Counts: counts(f), Warnings: warnings(f)}
}

// digest prints the film's contents, length and format: 2V 1A 5clips 2tr 1txt 1m32s 1920x1080@30.
func digest(f *film.Film) string {
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
	for _, t := range f.Parsed().Tracks {
		tracks[t.Kind]++
		n.add(t)
	}
	say(tracks[film.VideoTrack], "V")
	say(tracks[film.AudioTrack], "A")
	if n.clips == 0 {
		say(len(f.Media()), "media")
		parts = append(parts, "0clips")
	}
	say(n.clips, "clips")
	say(n.joins, "tr")
	say(n.texts, "txt")
	parts = append(parts, f.TimeText(f.Frames()), f.Parsed().Settings.String())
	return strings.Join(parts, " ")
}

// tally counts the contents of tracks.
type tally struct{ clips, texts, joins int }

func (n *tally) add(t *film.Track) {
	n.joins += len(t.Joins)
	if t.Kind == film.TextTrack {
		n.texts += len(t.Clips)
	} else {
		n.clips += len(t.Clips)
	}
}

func counts(f *film.Film) []abi.Count {
	var n tally
	for _, t := range f.Parsed().Tracks {
		n.add(t)
	}
	return []abi.Count{{Name: "tracks", Value: len(f.Parsed().Tracks)}, {Name: "clips", Value: n.clips}, {Name: "texts", Value: n.texts}, {Name: "transitions", Value: n.joins}}
}
