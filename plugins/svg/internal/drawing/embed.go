package drawing

import (
	"bytes"
	"encoding/base64"
	"image"
	"maps"
	"slices"

	_ "image/gif" // formats whose sizes are read
	_ "image/jpeg"
	_ "image/png"

	"github.com/fcp-host/fcp-host/pdk"
)

// pictureTypes are the pictures that are put into a drawing, by the ends of their
// names.
var pictureTypes = map[string]string{".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp"}

func pictureFiles() []string { return slices.Sorted(maps.Keys(pictureTypes)) }

// mostEmbedded is how many bytes of a picture are put into a drawing.
const mostEmbedded = 8 << 20

// embed puts the picture that file: names into the element, and gives the size to
// show it in: its own, as far as the canvas has room.
func (n *addition) embed(o *op) (w, h float64, err error) {
	name, ok := o.a.Param("file")
	if !ok {
		return 100, 60, nil
	}
	s, err := o.Host.Resource(name)
	if err != nil {
		return 0, 0, pdk.Errorf("file:%s: %v", name, err)
	}
	if s == nil {
		return 0, 0, pdk.Errorf("file:%s is no path of a picture: ./a.png", name)
	}
	format := ""
	switch data := s.Data; {
	case bytes.HasPrefix(data, []byte("\x89PNG")):
		format = ".png"
	case bytes.HasPrefix(data, []byte("\xff\xd8")):
		format = ".jpg"
	case bytes.HasPrefix(data, []byte("GIF8")):
		format = ".gif"
	case bytes.HasPrefix(data, []byte("RIFF")) && len(data) > 12 && string(data[8:12]) == "WEBP":
		format = ".webp"
	default:
		return 0, 0, pdk.Errorf("file:%s is no PNG, JPEG, GIF or WebP", name)
	}
	if len(s.Data) > mostEmbedded {
		return 0, 0, pdk.Errorf("file:%s has %d bytes; the limit is %d", name, len(s.Data), mostEmbedded)
	}
	w, h = 100, 60
	if c, _, err := image.DecodeConfig(bytes.NewReader(s.Data)); err == nil && c.Width > 0 && c.Height > 0 {
		w, h = float64(c.Width), float64(c.Height)
		sx, sy := stretch(n.ctm)
		room := o.scene().Canvas()
		scale := min(1, room.Width()/sx/w, room.Height()/sy/h)
		w, h = w*scale, h*scale
	}
	key, _, _ := o.href("")
	n.set(key, "data:"+pictureTypes[format]+";base64,"+base64.StdEncoding.EncodeToString(s.Data))
	return w, h, nil
}
