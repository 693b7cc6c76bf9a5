package verbs

import (
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

// withMarker applies marker: to the style of a BPMN shape.
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
		return model.ActorLifeline, nil
	}
	known := model.Markers(kind)
next:
	for _, w := range words {
		for _, c := range known {
			if c.Word == w || strings.ReplaceAll(c.Word, "-", "") == w {
				for _, kv := range c.Keys {
					if kv[1] == "" {
						s = s.Drop(kv[0])
					} else {
						s = s.Set(kv[0], kv[1])
					}
				}
				continue next
			}
		}
		err := pdk.Errorf("marker:%s: %s takes %s", v, values.Article(kind), strings.Join(model.MarkerWords(kind), " "))
		for _, near := range pdk.Nearest(w, model.MarkerWords(kind)) {
			err.Try(a.Mended(pdk.WithParam("marker", strings.Replace(strings.ToLower(v), w, near, 1))))
		}
		return s, err
	}
	return s, nil
}

// c4Type returns the type of a C4 shape in the form that labels use.
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

// asC4 turns a new vertex into one of draw.io's C4 shapes. Its label shows properties,
// which can be changed with draw.io's Edit Data.
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
