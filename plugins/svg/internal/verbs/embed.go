package verbs

import (
	"bytes"
	"encoding/base64"
	"image"
	"strings"

	_ "image/gif" // to read the sizes of these formats
	_ "image/jpeg"
	_ "image/png"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

// pictureFiles lists the extensions of the files that can be put into a drawing.
var pictureFiles = []string{".gif", ".jpeg", ".jpg", ".png", ".webp", ".svg", ".svgz"}

// maxEmbedded is the maximum size of an embedded picture in bytes.
const maxEmbedded = 8 << 20

// embed embeds the picture that file: names, and returns the size to show it in: its
// own size, reduced to fit the canvas.
func (n *addition) embed() (w, h float64, err error) {
	name, ok := fromFile.Lookup(n.a)
	if !ok {
		return 100, 60, nil
	}
	s, err := n.Host.Resource(name)
	if err != nil {
		return 0, 0, pdk.Errorf("file:%s: %v", name, err)
	}
	if s == nil {
		return 0, 0, pdk.Errorf("file:%s is not a path of a picture: ./a.png", name)
	}
	if len(s.Data) > maxEmbedded {
		return 0, 0, pdk.Errorf("file:%s has %d bytes; the limit is %d", name, len(s.Data), maxEmbedded)
	}
	format := ""
	for _, f := range [][2]string{{"\x89PNG", "png"}, {"\xff\xd8", "jpeg"}, {"GIF8", "gif"}, {"RIFF", "webp"}} {
		if bytes.HasPrefix(s.Data, []byte(f[0])) && (f[1] != "webp" || len(s.Data) > 12 && string(s.Data[8:12]) == "WEBP") {
			format = f[1]
		}
	}
	if format == "" {
		return n.nest(name, s.Data)
	}
	w, h = 100, 60
	if c, _, err := image.DecodeConfig(bytes.NewReader(s.Data)); err == nil && c.Width > 0 && c.Height > 0 {
		w, h = float64(c.Width), float64(c.Height)
		sx, sy := stretch(n.ctm)
		room := n.scene().Canvas()
		scale := min(1, room.Width()/sx/w, room.Height()/sy/h)
		w, h = w*scale, h*scale
	}
	key, _, _ := n.href("")
	n.set(key, "data:image/"+format+";base64,"+base64.StdEncoding.EncodeToString(s.Data))
	return w, h, nil
}

// nest inserts another drawing as an svg element. The drawing keeps its bytes, except
// for its position and for ids that are already used here.
func (n *addition) nest(name string, data []byte) (w, h float64, err error) {
	doc, err := tree.Open(name, data)
	if err != nil {
		return 0, 0, pdk.Errorf("file:%s is not a PNG, JPEG, GIF or WebP, and not an SVG that can be read: %v", name, err)
	}
	g := &drawing{Doc: doc}
	if doc.Root.Type != "svg" || strings.Contains(doc.Head(), "<!ENTITY") {
		return 0, 0, pdk.Errorf("file:%s is not a PNG, JPEG, GIF or WebP, and not an SVG without entities", name)
	}
	ids, taken := map[string]string{}, map[string]bool{n.get("id"): true}
	if own := doc.Root.ID(); own != "" {
		ids[own] = n.get("id")
	}
	for m := range doc.Root.All() {
		if m.Type == "style" {
			n.Warn("the style sheet of %s now applies to the whole drawing", name)
		}
		id := m.ID()
		if id == "" || m == doc.Root {
			continue
		}
		fresh := id
		if n.f.ByID(id) != nil || taken[id] {
			fresh = n.nextID(strings.TrimRight(id, "0123456789"), id, taken)
		}
		ids[id], taken[fresh] = fresh, true
	}
	sc := g.Scene()
	w, h = sc.Size()
	if _, ok := doc.Root.Attr("viewBox"); !ok {
		n.set("viewBox", model.ViewText(sc.Canvas(), model.Short))
	}
	n.name, n.nested = "svg", withIDs(doc.Root.Raw(), ids)
	sx, sy := stretch(n.ctm)
	return w / sx, h / sy, nil
}
