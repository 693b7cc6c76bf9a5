package verbs

import (
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

func addParams() []abi.Param {
	return []abi.Param{
		{Key: "theme", Value: strings.Join(style.ThemeNames(), "|")}, {Key: "fill", Value: "COLOUR; stroke: font-color: and all other keys of style"},
		{Key: "near", Value: "REF"}, {Key: "dir", Value: strings.Join(values.Directions(), "|")},
		{Key: "between", Value: betweenParam + "; it looks like its neighbours, and what is beyond makes way"},
		{Key: "at", Value: "X,Y|REGION"}, {Key: "size", Value: "WxH"}, {Key: "label", Value: "TEXT shown in place of LABEL"},
		{Key: "in", Value: "GROUP, or the class, table or entity of a row, field, method or column"}, {Key: "like", Value: "REF: type, colours and size of that shape; with rows: or fields: a table, an entity or a class like it"}, {Key: "count", Value: "1-1000"}, {Key: "id", Value: "ID"},
		{Key: "strict", Value: "true: use at: even if it is occupied"},
		{Key: "fields", Value: "A; B of a class, PK id, FK x, name of an entity"}, {Key: "methods", Value: "A(); B() of a class"},
		{Key: "cols", Value: "A,B of a table"}, {Key: "rows", Value: "0-100 of a table, or their cells: A,B; C,D"},
		{Key: "lanes", Value: "A,B of a pool"}, {Key: "flow", Value: "LR|TB of a pool: lanes are rows or columns"}, {Key: "src", Value: "URL of an image"},
		{Key: "marker", Value: "of a task " + strings.Join(model.MarkerWords("task"), "|") + "; of a gateway " + strings.Join(model.MarkerWords("gateway"), "|") + "; of an event " + strings.Join(model.MarkerWords("event"), "|") + ", also two: end-message; of a participant actor"},
		{Key: "around", Value: "A,B: the first and the last message of a sequence that a frame or an activation spans"},
		{Key: "before", Value: "TEXT of the message of a sequence that a section else GUARD begins with"},
		{Key: "of", Value: "REF of the parent of a topic in a mind map; before: and after: give its place among its siblings"},
		{Key: "tech", Value: "TEXT of a container, component"}, {Key: "description", Value: "TEXT of a person, system, container, component"},
	}
}

// addKeys holds the parameters of add that are not style keys. It is never written to.
var addKeys = func() map[string]bool {
	out := map[string]bool{}
	for _, p := range addParams() {
		out[p.Key] = true
	}
	delete(out, "fill")
	return out
}()
