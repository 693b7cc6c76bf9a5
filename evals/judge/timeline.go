package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// timelineFacts returns the facts of an OpenTimelineIO file, with times in seconds. Tracks count from 1 for each kind:
//
//	Video 1 Clip "cat" at 0.000 for 5.000 from 0.000 of "./cat.mp4"
//	Video 1 Clip "cat" LinearTimeWarp time_scalar=2
//	Video 1 Transition "SMPTE_Dissolve" at 5.000 before 0.500 after 0.500
//	Video 1 Clip "cat" marker "here" at 2.000 for 0.000
func timelineFacts(data []byte) (facts []string, err error) {
	var file struct {
		Tracks struct{ Children []item }
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	if len(file.Tracks.Children) == 0 {
		return nil, errors.New("it has no tracks")
	}
	count := map[string]int{}
	for _, track := range file.Tracks.Children {
		count[track.Kind]++
		name := fmt.Sprintf("%s %d ", track.Kind, count[track.Kind])
		facts = append(facts, fmt.Sprintf("%strack %q", name, track.Name))
		at := 0.0
		for _, i := range track.Children {
			kind, _, _ := strings.Cut(i.Schema, ".")
			if kind == "Transition" {
				facts = append(facts, fmt.Sprintf("%sTransition %q at %.3f before %.3f after %.3f", name, i.TransitionType, at, i.In.seconds(), i.Out.seconds()))
				continue
			}
			r := i.span()
			if kind != "Gap" {
				facts = append(facts, i.facts(name+kind, at, r)...)
			}
			at += r.Duration.seconds()
		}
	}
	return facts, nil
}

// item is a track, or what is on one.
type item struct {
	Schema         string `json:"OTIO_SCHEMA"`
	Name, Kind     string
	Enabled        *bool
	Range          *span `json:"source_range"`
	Children       []item
	Medium         medium            `json:"media_reference"`
	Media          map[string]medium `json:"media_references"`
	Active         string            `json:"active_media_reference_key"`
	Effects        []json.RawMessage
	Markers        []marker
	TransitionType string  `json:"transition_type"`
	In             instant `json:"in_offset"`
	Out            instant `json:"out_offset"`
}

type medium struct {
	URL   string `json:"target_url"`
	Range *span  `json:"available_range"`
}

type marker struct {
	Name  string
	Range span `json:"marked_range"`
}

type span struct {
	Start    instant `json:"start_time"`
	Duration instant
}

type instant struct{ Rate, Value float64 }

func (t instant) seconds() float64 {
	if t.Rate == 0 {
		return 0
	}
	return t.Value / t.Rate
}

func (i item) medium() medium {
	if m, ok := i.Media[i.Active]; ok {
		return m
	}
	return i.Medium
}

// span returns the part of the medium that is shown.
func (i item) span() span {
	switch {
	case i.Range != nil:
		return *i.Range
	case i.medium().Range != nil:
		return *i.medium().Range
	}
	return span{}
}

func (i item) facts(title string, at float64, r span) (facts []string) {
	title = fmt.Sprintf("%s %q ", title, i.Name)
	where := fmt.Sprintf("%sat %.3f for %.3f from %.3f of %q", title, at, r.Duration.seconds(), r.Start.seconds(), i.medium().URL)
	if i.Enabled != nil && !*i.Enabled {
		where += " disabled"
	}
	facts = append(facts, where)
	for _, e := range i.Effects {
		var effect struct {
			Schema string  `json:"OTIO_SCHEMA"`
			Scalar float64 `json:"time_scalar"`
			Name   string  `json:"effect_name"`
		}
		if json.Unmarshal(e, &effect) == nil {
			kind, _, _ := strings.Cut(effect.Schema, ".")
			facts = append(facts, fmt.Sprintf("%s%s %q time_scalar=%g", title, kind, effect.Name, effect.Scalar))
		}
	}
	for _, m := range i.Markers {
		facts = append(facts, fmt.Sprintf("%smarker %q at %.3f for %.3f", title, m.Name, m.Range.Start.seconds(), m.Range.Duration.seconds()))
	}
	return facts
}
