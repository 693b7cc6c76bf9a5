// Package importer draws charts and adds the types of shape libraries. Both come as
// text or as a file.
package importer

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/catalog"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

// importLibrary turns the shapes of a custom library into types of this document.
func importLibrary(c *ctx, from, data string) error {
	items, err := mxfile.Library(data)
	if err != nil {
		return pdk.Errorf("%s: %v", from, err)
	}
	var made, many, large []string
	p := c.Model.Pages[0]
	pdk.Check(edit.EnsureRoot(c, p))
	draft := c.Model.Draft()
	taken := map[string]bool{}
	for _, i := range items {
		title := i.Title
		if title == "" {
			title = "a nameless one"
		}
		switch {
		case i.Many:
			many = append(many, values.OneLine(title))
			continue
		case len(i.Style) > catalog.MaxStyle:
			large = append(large, values.OneLine(title))
			continue
		case len(made) == catalog.MaxItems:
			return pdk.Errorf("%s holds more than %d shapes", from, catalog.MaxItems)
		}
		d := catalog.Definition{Name: typeName(i.Title, taken), Base: "box", W: i.W, H: i.H, Style: i.Style}
		taken[d.Name] = true
		made = append(made, d.Name)
		draft.Change(p.Root(), func(t mxfile.Text) mxfile.Text { return t.WithData(catalog.TypeKey+d.Name, d.Text()) })
	}
	if len(made) == 0 {
		return pdk.Errorf("%s holds no shapes that could be types: each has to be one shape or a picture", from)
	}
	pdk.Check(edit.Commit(c, draft, "import the library "+from, fmt.Sprintf("the types of %s are already defined: %s", from, listFirst(made))))
	c.Created("%s of %s: %s; add them as any type: add %s LABEL", pdk.Count(len(made), "type"), from, listFirst(made), made[0])
	if len(many) > 0 {
		c.Warn("left out, since they are of several shapes: %s", listFirst(many))
	}
	if len(large) > 0 {
		c.Warn("left out, since their pictures are larger than %d KB: %s", catalog.MaxStyle/1000, listFirst(large))
	}
	return nil
}

// listFirst lists the first names, and says how many more there are.
func listFirst(names []string) string {
	const most = 30
	if len(names) <= most {
		return strings.Join(names, " ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], " "), len(names)-most)
}

// typeName returns an unused name for a type with that title.
func typeName(title string, taken map[string]bool) string {
	name := style.StencilName(title)
	if name == "" || name[0] < 'a' {
		name = strings.TrimSuffix("shape_"+name, "_")
	}
	name = strings.TrimRight(name[:min(len(name), 34)], "_")
	if catalog.IsType(name) || name == "group" {
		name += "_own"
	}
	for free, n := name, 2; ; n++ {
		if !taken[free] {
			return free
		}
		free = fmt.Sprintf("%s_%d", name, n)
	}
}

type (
	file = mxfile.File
	cell = mxfile.Cell
	ctx  = pdk.Ctx[*mxfile.File]
	verb = pdk.Verb[*mxfile.File]
)
