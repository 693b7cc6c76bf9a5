package verbs

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/compound"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/placement"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

// addKeys are the keys of add. What at: and rows: take depends on what is added.
var addKeys = slices.Concat([]pdk.Parameter{
	edit.Theme, values.Text("fill", "COLOUR; stroke: font-color: and all other keys of style")}, placement.Keys(values.Text("at", "X,Y|REGION")), []pdk.Parameter{
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
