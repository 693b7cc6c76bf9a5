package mxfile

import (
	"encoding/json"
	"fmt"
	"html"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/xmltree"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
)

// Item is an entry of a custom shape library made in draw.io.
type Item struct {
	Title string
	W, H  float64
	Style style.Style // of its only shape
	Many  bool        // it consists of several shapes, or of an edge, and has no style
}

// Library reads an <mxlibrary> file. The error says what is wrong with the file, or with which entry.
func Library(src string) ([]Item, error) {
	root, err := xmltree.Parse(src)
	if err != nil {
		return nil, fmt.Errorf("not a library of draw.io: %w", err)
	}
	if root.Name != "mxlibrary" {
		return nil, fmt.Errorf("not a library of draw.io: the document is <%s>, not <mxlibrary>", root.Name)
	}
	var entries []struct {
		XML, Data, Title, Style, Aspect string
		W, H                            float64
	}
	if err := json.Unmarshal([]byte(root.Text()), &entries); err != nil {
		return nil, fmt.Errorf("not a library of draw.io: its list of shapes: %w", err)
	}
	var out []Item
	for i, e := range entries {
		item := Item{Title: strings.TrimSpace(e.Title), W: e.W, H: e.H}
		switch {
		case e.Data != "":
			item.Style = style.Style("shape=image;verticalLabelPosition=bottom;verticalAlign=top;labelBackgroundColor=default;imageAspect=0;aspect=fixed;html=1;image=" +
				strings.Replace(e.Data, ";base64,", ",", 1) + ";")
		case e.XML != "":
			if err := item.read(e.XML); err != nil {
				return nil, fmt.Errorf("entry %d of the library: %w", i+1, err)
			}
		default:
			continue
		}
		out = append(out, item)
	}
	return out, nil
}

// read reads the shape of a model, which may be compressed.
func (i *Item) read(model string) error {
	switch model = strings.TrimSpace(model); {
	case strings.HasPrefix(model, "&lt;"):
		model = html.UnescapeString(model)
	case !strings.HasPrefix(model, "<"):
		plain, err := unpack(model)
		if err != nil {
			return err
		}
		model = plain
	}
	f, err := Open([]byte(model))
	if err != nil {
		return err
	}
	for c := f.Pages[0].First(); c != nil; c = c.Next() {
		if !c.Vertex && !c.Edge {
			continue
		}
		if c.Edge || i.Style != "" {
			i.Style, i.Many = "", true
			return nil
		}
		i.Style = c.Style
		if i.Style == "" {
			i.Style = "html=1;"
		}
		if c.Geo.W > 0 && c.Geo.H > 0 {
			i.W, i.H = c.Geo.W, c.Geo.H
		}
		if i.Title == "" {
			i.Title = c.Label()
		}
	}
	i.Many = i.Style == ""
	return nil
}
