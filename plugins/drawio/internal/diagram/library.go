package diagram

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// Bounds of a library that is imported: its types are kept in the document.
const (
	mostItems   = 500
	longestLook = 200_000 // bytes of a style, of which most are a picture
)

// importLibrary makes types of this document of the shapes that somebody's library holds.
func importLibrary(c *ctx, from, data string) error {
	items, err := mxfile.Library(data)
	if err != nil {
		return pdk.Errorf("%s: %v", from, err)
	}
	var made, many, large []string
	p := c.Model.Pages[0]
	if err := ensureRoot(c, p); err != nil {
		return err
	}
	draft := c.Model.Draft()
	taken := map[string]bool{}
	for _, i := range items {
		title := i.Title
		if title == "" {
			title = "a nameless one"
		}
		switch {
		case i.Many:
			many = append(many, oneLine(title))
			continue
		case len(i.Style) > longestLook:
			large = append(large, oneLine(title))
			continue
		case len(made) == mostItems:
			return pdk.Errorf("%s holds more than %d shapes", from, mostItems)
		}
		d := definition{name: typeName(i.Title, taken), base: "box", w: i.W, h: i.H, look: i.Style}
		taken[d.name] = true
		made = append(made, d.name)
		draft.Change(p.Root(), func(t mxfile.Text) mxfile.Text { return t.WithData(typeData+d.name, d.text()) })
	}
	if len(made) == 0 {
		return pdk.Errorf("%s holds no shapes that could be types: each has to be one shape or a picture", from)
	}
	if err := commit(c, draft, "import the library "+from, fmt.Sprintf("the types of %s are defined already: %s", from, firstOf(made))); err != nil {
		return err
	}
	c.Created("%s of %s: %s; add them as any type: add %s LABEL", plural(len(made), "type"), from, firstOf(made), made[0])
	if len(many) > 0 {
		c.Warn("left out, since they are of several shapes: %s", firstOf(many))
	}
	if len(large) > 0 {
		c.Warn("left out, since their pictures are larger than %d KB: %s", longestLook/1000, firstOf(large))
	}
	return nil
}

// firstOf lists names, and says how many more there are.
func firstOf(names []string) string {
	const most = 30
	if len(names) <= most {
		return strings.Join(names, " ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], " "), len(names)-most)
}

// typeName is a name for a type that is called so, and that no other one has.
func typeName(title string, taken map[string]bool) string {
	name := style.StencilName(title)
	if name == "" || name[0] < 'a' {
		name = strings.TrimSuffix("shape_"+name, "_")
	}
	name = strings.TrimRight(name[:min(len(name), 34)], "_")
	if isType(name) || name == "group" {
		name += "_own"
	}
	for free, n := name, 2; ; n++ {
		if !taken[free] {
			return free
		}
		free = fmt.Sprintf("%s_%d", name, n)
	}
}
