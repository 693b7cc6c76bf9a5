package mxfile

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/xmltree"
)

// openPicture reads the file that an SVG picture holds in its content
// attribute, as draw.io's .drawio.svg files do.
func openPicture(root *xmltree.Element) (*File, error) {
	content, ok := root.Attr("content")
	if !ok {
		return nil, fmt.Errorf("byte %d: the picture holds no diagram: its <svg> has no content attribute", root.Start)
	}
	inner := strings.TrimLeft(content, blanks)
	if !strings.HasPrefix(inner, "<mxfile") && !strings.HasPrefix(inner, "<mxGraphModel") {
		return nil, fmt.Errorf("byte %d: the picture's content attribute holds no mxfile", root.Start)
	}
	f, err := Open([]byte(content))
	if err != nil {
		return nil, fmt.Errorf("in the picture's content attribute: %w", err)
	}
	f.picture, f.held = root.Source(), content
	return f, nil
}

// Picture is the SVG picture that the file came in, "" for none, and what it
// holds. Saving must put the file into a picture again.
func (f *File) Picture() (picture, holds string) { return f.picture, f.held }
