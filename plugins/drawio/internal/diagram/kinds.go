package diagram

import (
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// choice is one word of marker: and the style keys that it stands for.
type choice struct {
	word string
	keys [][2]string
}

// markers are the words that marker: takes for a type. Those of an event say where
// in the flow it is, and what it is about: end, message, end-message.
func markers(kind string) (out []choice) {
	add := func(key string, words ...string) {
		for _, w := range words {
			word, value, ok := strings.Cut(w, "=")
			if !ok {
				value = word
			}
			out = append(out, choice{word, [][2]string{{key, value}}})
		}
	}
	switch kind {
	case "task":
		add("taskMarker", "abstract", "user", "service", "script", "manual", "send", "receive", "business-rule=businessRule")
	case "gateway":
		add("gwType", "exclusive", "parallel", "complex")
		out = append(out, choice{"inclusive", [][2]string{{"gwType", ""}, {"outline", "end"}, {"symbol", "general"}}},
			choice{"event", [][2]string{{"gwType", ""}, {"outline", "boundInt"}, {"symbol", "multiple"}}})
	case "participant":
		add("participant", "actor=umlActor")
	case "event":
		add("outline", "start=standard", "intermediate=catching", "throwing", "boundary=boundInt", "end")
		add("symbol", "general", "message", "timer", "escalation", "conditional", "link", "error", "cancel", "compensation", "signal", "multiple", "terminate")
	}
	return out
}

func markerWords(kind string) (out []string) {
	for _, c := range markers(kind) {
		out = append(out, c.word)
	}
	return out
}

// marker says what an event or a gateway without a label is, " end-message", as marker:
// has it: "" for the plainest.
func marker(c *cell) string {
	kind := c.Kind()
	if kind != "event" && kind != "gateway" || c.Label() != "" {
		return ""
	}
	var words []string
	for _, m := range markers(kind) {
		has := m.word != "start" && m.word != "general" && m.word != "exclusive"
		for _, kv := range m.keys {
			has = has && valueOf(c.Style, kv[0]) == kv[1]
		}
		if has {
			words = append(words, m.word)
		}
	}
	if len(words) == 0 {
		return ""
	}
	return " " + strings.Join(words, "-")
}

// withMarker gives a BPMN shape's style what marker: says.
func withMarker(a pdk.Args, kind string, s style.Style) (style.Style, error) {
	v, ok := a.Param("marker")
	if !ok {
		return s, nil
	}
	words := []string{strings.ToLower(v)}
	if kind == "event" {
		words = strings.FieldsFunc(words[0], func(r rune) bool { return r == '-' || r == ' ' || r == ',' })
	}
	if kind == "participant" && strings.EqualFold(v, "actor") {
		return actorLifeline, nil
	}
	known := markers(kind)
next:
	for _, w := range words {
		for _, c := range known {
			if c.word == w || strings.ReplaceAll(c.word, "-", "") == w {
				for _, kv := range c.keys {
					if kv[1] == "" {
						s = s.Drop(kv[0])
					} else {
						s = s.Set(kv[0], kv[1])
					}
				}
				continue next
			}
		}
		err := pdk.Errorf("marker:%s: %s takes %s", v, article(kind), strings.Join(markerWords(kind), " "))
		for _, near := range pdk.Nearest(w, markerWords(kind)) {
			err.Try(a.Mended(pdk.WithParam("marker", strings.Replace(strings.ToLower(v), w, near, 1))))
		}
		return s, err
	}
	return s, nil
}

// c4Types are the types of C4 shapes as their labels name them.
func c4Type(kind string) string {
	switch kind {
	case "person":
		return "Person"
	case "system":
		return "Software System"
	case "container":
		return "Container"
	case "component":
		return "Component"
	}
	return ""
}

// asC4 makes a new vertex one of draw.io's C4 shapes: its label shows properties,
// which draw.io's Edit Data changes.
func asC4(t mxfile.Text, kind, name, tech, about string) mxfile.Text {
	label := `<font style="font-size: 16px"><b>%c4Name%</b></font><div>[%c4Type%]</div>`
	if tech != "" {
		label = strings.Replace(label, "%c4Type%", "%c4Type%: %c4Technology%", 1)
	}
	if about != "" {
		label += `<br><div>%c4Description%</div>`
	}
	t = t.WithValue(label)
	for _, kv := range [][2]string{{"placeholders", "1"}, {"c4Name", name}, {"c4Type", c4Type(kind)}, {"c4Technology", tech}, {"c4Description", about}} {
		t = t.WithData(kv[0], kv[1])
	}
	return t
}
