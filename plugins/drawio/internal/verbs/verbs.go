// Package verbs holds the verbs of the domain.
package verbs

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/arranger"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/importer"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/legend"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/pagestyle"
)

type (
	file = mxfile.File
	cell = mxfile.Cell
	ctx  = pdk.Ctx[*mxfile.File]
	verb = pdk.Verb[*mxfile.File]
)

// All lists the verbs of the domain.
func All() []verb {
	list := pdk.Declare(
		addVerb(), removeVerb(), connectVerb(), disconnectVerb(), styleVerb(), labelVerb(), replaceVerb(), moveVerb(), resizeVerb(),
		groupVerb(), ungroupVerb(), copyVerb(), repeatVerb(), modifyVerb(), pageVerb(), layoutVerb(), routeVerb(), pinVerb(), splitVerb(),
		linkVerb(), tooltipVerb(), dataVerb(), badgeVerb(), lookVerb(), legend.Verb(), rotateVerb(), swapVerb(), alignVerb(), distributeVerb(), orderVerb(), orientVerb(),
		layerVerb(), defineVerb(), loadVerb(), titleVerb(), importer.MermaidVerb(), importer.PlantVerb(),
	)
	for i := range list {
		list[i].Run = followed(list[i].Run)
	}
	return list
}

// followed adds to a verb what holds for all: what an op added takes the palette of its page, the legend shows what the page then has, and
// the reply names each cell that changed.
func followed(run func(*ctx, pdk.Args) error) func(*ctx, pdk.Args) error {
	return func(c *ctx, a pdk.Args) error {
		page := c.Model.Current
		had := legend.InUse(page)
		pdk.Check(run(c, a))
		pdk.Check(pagestyle.PaintNew(c, page))
		pdk.Check(legend.Update(c, a, page, had))
		stateEffects(c, a)
		return nil
	}
}

// stateEffects adds a line to the reply for the elements that an op changed although neither its
// words nor its reply name them: nothing changes silently. New cells are the op's own; verbs name what they remove themselves, and an op
// about the whole page names everything on it.
func stateEffects(c *ctx, a pdk.Args) {
	if a.Verb == "look" || a.Verb == "layout" && len(a.Selectors) == 0 && (!a.Has("keep") || arranger.ShowsSequence(c.Model.Current)) {
		return
	}
	res := c.Result()
	known := pdk.Set(res.IDs)
	named := map[string]bool{} // what the op means: others of the same name need their ids
	for id := range known {
		if x := model.ByID(c.Model, id); x != nil {
			named[nameOf(x)] = true
		}
	}
	var changed []*cell
	for _, e := range c.Edits() {
		for _, s := range e.(*mxfile.Edit).Steps {
			id, page := model.EventID(s.Page, s.Cell), c.Model.Page(s.Page)
			if s.Action == mxfile.InsertCell {
				known[id] = true
			}
			if s.Action != mxfile.PatchCell || known[id] || page == nil {
				continue
			}
			known[id] = true
			if x := whole(page.Cell(s.Cell)); x != nil && (model.ID(x) == id || !known[model.ID(x)]) {
				known[model.ID(x)] = true
				changed = append(changed, x)
			}
		}
	}
	if len(changed) == 0 {
		return
	}
	said := plainWords(a.Raw + "\n" + res.Text)
	changed = slices.DeleteFunc(changed, func(x *cell) bool {
		return x.Badge || !x.Vertex && !x.Edge || !named[nameOf(x)] && hasWord(said, nameOf(x)) || hasWord(said, plainWords(x.Key))
	})
	var names []string
	for _, x := range changed {
		name := model.All([]*cell{x})
		if named[nameOf(x)] && name != x.Key {
			name += " " + x.Key
		}
		names = append(names, name)
	}
	if len(names) > 0 {
		c.Also("also changed: %s", strings.Join(names, ", "))
	}
}

// nameOf returns what a reply calls a cell, as plainWords.
func nameOf(x *cell) string { return plainWords(model.All([]*cell{x})) }

// whole returns what a person takes for one element: the edge of a label cell, the table of a row.
func whole(x *cell) *cell {
	if x == nil {
		return nil
	}
	if o := x.Page.Cell(x.Parent); o != nil && o.Edge {
		return o
	}
	if model.InCompound(x) {
		return model.Outermost(x)
	}
	return x
}

var wordsOnly = strings.NewReplacer(`"`, "", " -> ", "->", " <- ", "<-", " <-> ", "<->", " -- ", "--")

// plainWords returns a text in lower case, without quotes and without spaces around arrows.
func plainWords(text string) string { return wordsOnly.Replace(strings.ToLower(text)) }

// hasWord reports whether a text contains a word, not as a part of a longer one.
func hasWord(text, word string) bool {
	inWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }
	for at := 0; word != ""; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(text[:at+i])
		after, _ := utf8.DecodeRuneInString(text[at+i+len(word):])
		if !inWord(before) && !inWord(after) {
			return true
		}
		at += i + len(word)
	}
	return false
}
