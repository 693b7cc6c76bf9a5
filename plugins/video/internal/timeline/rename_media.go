package timeline

import (
	"strings"

	"github.com/fcp-host/fcp-host/pdk/jsontree"
	"github.com/fcp-host/fcp-host/pdk/splice"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
)

// withMediaNames returns the document's text with other paths of its media. names maps the old paths to the new ones.
func withMediaNames(f *film.Film, names map[string]string) string {
	text := f.Doc.Text()
	if len(names) == 0 {
		return text
	}
	root, err := jsontree.ParseNonFinite(text)
	if err != nil {
		return text // impossible: the text has been parsed before
	}
	var all splice.All
	put := func(v *jsontree.Value, name string) {
		all = append(all, splice.Splice{At: v.Start, Old: v.Raw(), New: jsontree.Quote(name)})
	}
	for _, m := range root.Get("metadata", "fcp", "media").Each() {
		if p := m.Get("path"); p.Is(jsontree.String) && names[p.Text()] != "" {
			put(p, names[p.Text()])
		}
	}
	var walk func(v *jsontree.Value)
	walk = func(v *jsontree.Value) {
		if u := v.Get("target_url"); u.Is(jsontree.String) && strings.HasPrefix(v.Get("OTIO_SCHEMA").Text(), "ExternalReference.") {
			if name := names[film.PathOfURL(u.Text())]; name != "" {
				put(u, film.URLOfPath(name))
			}
		}
		for _, m := range v.Members {
			walk(m.Value)
		}
		for _, item := range v.Items {
			walk(item)
		}
	}
	walk(root)
	text, _ = all.Apply(text)
	return text
}
