package verbs

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/catalog"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/compound"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/placement"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
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

// addKeys are the keys of add. What at: and rows: take depends on what is added.
var addKeys = slices.Concat([]pdk.Parameter{
	edit.Theme, values.Text("fill", "COLOUR; stroke: font-color: and all other keys of style")}, placement.Keys(values.Text("at", "X,Y|REGION; first|last for a row")), []pdk.Parameter{
	values.Text("between", betweenKey.Type.Takes+"; it looks like its neighbours, and what is beyond makes way"),
	values.Size, values.Text("label", "TEXT shown in place of LABEL"),
	values.Text("in", "GROUP, or the class, table or entity of a row, field, method or column"),
	values.Text("like", "REF: type, colours and size of that shape; with rows: or fields: a table, an entity or a class like it"),
	copies, values.Text("id", "ID"),
	values.Text("fields", "A; B of a class, PK id, FK x, name of an entity"), values.Text("methods", "A(); B() of a class"),
	values.Text("cols", "A,B of a table"), values.Text("rows", "0-100 of a table, or their cells: A,B; C,D"),
	values.Text("lanes", "A,B of a pool"), compound.Flow, values.Text("src", "URL of an image"),
	values.Text("marker", "of a task "+strings.Join(model.MarkerWords("task"), "|")+"; of a gateway "+strings.Join(model.MarkerWords("gateway"), "|")+"; of an event "+strings.Join(model.MarkerWords("event"), "|")+", also two: end-message; of a participant actor"),
	values.Text("around", "A,B: the first and the last message of a sequence that a frame or an activation spans"),
	values.Text("before", "TEXT of the message of a sequence that a section else GUARD begins with"),
	values.Text("of", "REF of the parent of a topic in a mind map; before: and after: give its place among its siblings"),
	values.Text("tech", "TEXT of a container, component"), values.Text("description", "TEXT of a person, system, container, component"),
})

// ownKeys holds the keys of add that are not style keys. It is never written to.
var ownKeys = func() map[string]bool {
	out := map[string]bool{}
	for _, k := range addKeys {
		out[k.Param().Key] = true
	}
	delete(out, "fill")
	return out
}()

// runAddLane runs `add lane in:POOL`.
func runAddLane(c *ctx, a pdk.Args, pool *cell, label string, look style.Style) error {
	for _, key := range []string{"near", "dir", "at", "count", "strict"} {
		if a.Has(key) {
			return pdk.Errorf("%s: does not go with a lane; its pool gives it its place", key).Try(a.Mended(pdk.Without("near", "dir", "at", "count", "strict")))
		}
	}
	id, text := pdk.Must2(edit.NewNames(c.Model, a, label, 1))
	along := values.Size.Of(a).H
	if model.LanesAreColumns(pool) {
		along = values.Size.Of(a).W
	}
	_, err := compound.AddLane(c, pool, id, text, look, along)
	return err
}

// takeLook gives what an op adds the type, the style and the size of the shape that like: names.
func (n *addition) takeLook(f *file, a pdk.Args) error {
	ref, ok := a.Param("like")
	if !ok {
		return nil
	}
	x := pdk.Must(selector.Vertex(f, ref))
	if row := model.RowOf(x); row != nil {
		return pdk.Errorf("%s is a part of %s", model.Short(x), model.Short(row.Owner())).Instead(ref, model.Reference(row.Owner()))
	}
	n.like, n.kind, n.look, n.badge, n.w, n.h = x, model.KindOf(x), x.Style, "", x.Geo.W, x.Geo.H
	if _, own, ok := catalog.TypeNamed(f, n.kind); ok {
		n.badge = own.Badge
	}
	return nil
}

// likeLabel returns the stored label of a shape like x.
func likeLabel(x *cell, text string) string {
	if len(x.Shown()) > 0 { // properties, which the new shape does not have
		return mxfile.LabelValue(text, x.HTML())
	}
	value, _ := x.Reworded(text)
	return value
}
