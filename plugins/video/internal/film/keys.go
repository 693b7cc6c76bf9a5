package film

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/jsontree"
	"github.com/fcp-host/fcp-host/pdk/timecode"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
	"github.com/fcp-host/fcp-host/plugins/video/internal/render"
)

// Keys reads keyframes: "1@0s 1.5@3s".
func Keys(text string, rate timecode.Rate) (out []render.Key) {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' }) {
		value, at, ok := strings.Cut(word, "@")
		l, err := timecode.Parse(at)
		if !ok || err != nil {
			return nil
		}
		n, _, err := l.In(rate)
		if err != nil {
			return nil
		}
		out = append(out, render.Key{Frame: n, Value: value})
	}
	slices.SortStableFunc(out, func(a, b render.Key) int { return a.Frame - b.Frame })
	return out
}

// keysText writes keyframes, or the value alone if there is one.
func keysText(list []render.Key, rate timecode.Rate) string {
	if len(list) == 1 {
		return list[0].Value
	}
	var out []string
	for _, k := range list {
		out = append(out, k.Value+"@"+rate.Text(k.Frame))
	}
	return strings.Join(out, ",")
}

// shiftKeys returns keyframes for a clip that starts later, or earlier if later is negative, so that each picture
// keeps its value.
func shiftKeys(list []render.Key, later int) (out []render.Key) {
	if len(list) > 0 && list[0].Frame < later {
		out = append(out, render.Key{Value: strconv.FormatFloat(math.Round(ValueAt(list, later)*1e6)/1e6, 'f', -1, 64)})
	}
	for _, k := range list {
		if k.Frame > later || k.Frame == later && out == nil {
			out = append(out, render.Key{Frame: k.Frame - later, Value: k.Value})
		}
	}
	return out
}

// ValueAt returns the value at a frame. Between two keyframes values change linearly.
func ValueAt(list []render.Key, frame int) float64 {
	value := func(k render.Key) float64 {
		x, _ := strconv.ParseFloat(k.Value, 64) // 0 if it is none, which the render refuses
		return x
	}
	i := slices.IndexFunc(list, func(k render.Key) bool { return k.Frame > frame })
	switch {
	case i == 0:
		return value(list[0])
	case i < 0:
		return value(list[len(list)-1])
	}
	a, b := list[i-1], list[i]
	return value(a) + (value(b)-value(a))*float64(frame-a.Frame)/float64(b.Frame-a.Frame)
}

// LaterKeys returns the changes of a clip's item that keep the keyframes of its effects at their pictures if the clip
// starts a number of frames later.
func (f *Film) LaterKeys(c *Clip, later int) []otio.Change {
	if later == 0 {
		return nil
	}
	texts, changed := f.Rekeyed(c, func(list []render.Key) []render.Key { return shiftKeys(list, later) })
	if !changed {
		return nil
	}
	out := otio.List{}
	for _, text := range texts {
		out = append(out, otio.Raw(text))
	}
	return []otio.Change{{Path: []string{"effects"}, Value: out}}
}

// SpreadKeys returns keyframes that are a factor further from the start, so that each picture of a clip with another
// speed keeps its value.
func SpreadKeys(list []render.Key, factor float64) (out []render.Key) {
	for _, k := range list {
		k.Frame = int(math.Round(float64(k.Frame) * factor))
		if n := len(out); n > 0 && out[n-1].Frame == k.Frame {
			out = out[:n-1]
		}
		out = append(out, k)
	}
	return out
}

// Rekeyed returns the texts of the effects of a clip's item with other keyframes, and whether any has changed.
func (f *Film) Rekeyed(c *Clip, to func([]render.Key) []render.Key) (texts []string, changed bool) {
	effects := c.Node.Get("effects")
	if effects == nil {
		return nil, false
	}
	for i := range effects.Len() {
		n := effects.Item(i)
		var changes []otio.Change
		if fcp := n.Value().Get("metadata", "fcp"); fcp.Get("kind").Text() != "" {
			params := fcp.Get("params")
			for i := 0; params.Is(jsontree.Object) && i < len(params.Members); i++ {
				m := params.Members[i]
				if list := Keys(m.Value.Plain(), c.Rate); strings.Contains(m.Value.Plain(), "@") && list != nil {
					changes = append(changes, otio.Change{Path: []string{"metadata", "fcp", "params", m.Key}, Value: keysText(to(list), c.Rate)})
				}
			}
		}
		changed = changed || changes != nil
		texts = append(texts, f.Doc.Edited(n, changes...))
	}
	return texts, changed
}
