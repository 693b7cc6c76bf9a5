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
	if strings.HasPrefix(strings.TrimLeft(content, blanks), "%3C") {
		plain, err := inflate(strings.NewReader(content))
		if err != nil {
			return nil, fmt.Errorf("in the picture's content attribute: %w", err)
		}
		content = plain
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

// Picture returns the SVG or PNG picture that contained the file, "" for none, and the diagram in it. Saving must put
// the file into a picture again.
func (f *File) Picture() (picture, holds string) { return f.picture, f.held }

// InPixels reports whether the file was read from a PNG picture.
func (f *File) InPixels() bool { return strings.HasPrefix(f.picture, pngMark) }
