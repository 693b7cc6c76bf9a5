package verbs

import (
	"errors"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/near"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/args"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/verbs/timing"
)

// NewParams lists the parameters of `new "Title"`.
func NewParams() []abi.Param {
	return []abi.Param{{Key: "tempo", Value: "BPM"}, {Key: "time-sig", Value: "N/D"}, {Key: "key", Value: "KEY"}, {Key: "ppqn", Value: "24-32767"}}
}

// New makes an empty song: by default tempo 120, 4/4, C major and 480 ticks a quarter
// note.
func New(r *abi.NewRequest) (*song.Song, error) {
	made, err := newSong(pdk.Args{Op: &abi.Op{Verb: "new", Positionals: []abi.Positional{{Text: r.Title, Quoted: true}}, Params: r.Params}})
	var w *args.Correctable
	if errors.As(err, &w) {
		err = args.TrySuggestions(w, func(a pdk.Args) error { _, err := newSong(a); return err })
	}
	return made, err
}

func newSong(a pdk.Args) (*song.Song, error) {
	set := song.Setup{Title: a.Text(0)}
	var err error
	if set.BPM, err = timing.ParseTempo(a.String("tempo", "120")); err != nil {
		return nil, args.Instead(err, a, "tempo", timing.NearTempo(a.String("tempo", ""))...)
	}
	if set.Num, set.Den, err = timing.ParseTimeSig(a.String("time-sig", "4/4")); err != nil {
		return nil, args.Instead(err, a, "time-sig", timing.WithSlash(a.String("time-sig", "")))
	}
	if set.Key, err = theory.ParseKey(a.String("key", "C-major")); err != nil {
		return nil, args.Instead(err, a, "key", near.Key(a.String("key", ""))...)
	}
	if set.PPQ, err = args.Read(a, value.Key[int]{Name: "ppqn", Type: value.Int(24, 32767), Default: 480}); err != nil {
		return nil, err
	}
	for _, p := range a.Params {
		switch p.Key {
		case "tempo", "time-sig", "key", "ppqn":
		default:
			return nil, args.Suggest(pdk.Errorf("new takes no %s:", p.Key), a.With(pdk.Without(p.Key)))
		}
	}
	return song.New(set), nil
}
