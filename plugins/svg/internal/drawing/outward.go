package drawing

import (
	"fmt"
	"slices"
	"strings"
)

// heavy is how many bytes of a picture in the file are worth a warning.
const heavy = 200_000

// outward is what a file has that a viewer may run or load. events says whether
// to look for attributes with script, which takes all elements.
func (f *Drawing) outward(events bool) (out []string) {
	if n := f.Count("script"); n > 0 {
		out = append(out, plural(n, "script")+": kept, never run here")
	}
	if events {
		if n := f.handlers(); n > 0 {
			out = append(out, plural(n, "event attribute")+" with script: kept, never run here")
		}
	}
	var links []string
	large := 0
	for n := range f.Links() {
		href, _ := n.Href()
		switch href = strings.TrimSpace(href); {
		case strings.HasPrefix(href, "data:"):
			if len(href) > heavy*4/3 { // in base64
				large++
			}
		case href != "" && href[0] != '#' && f.Type(n) != "a":
			links = append(links, line(href, 80))
		}
	}
	slices.Sort(links)
	for _, imported := range f.styles.Of(f.Doc).Imports() {
		links = append(links, line(imported, 80))
	}
	if len(links) > 0 {
		out = append(out, plural(len(links), "link")+" to something outside, which is never loaded here: "+links[0])
	}
	if large > 0 {
		out = append(out, plural(large, "embedded picture")+fmt.Sprintf(" of more than %d KB", heavy/1000))
	}
	return out
}

// handlers counts attributes that hold script.
func (f *Drawing) handlers() (count int) {
	for n := range f.Root.All() {
		if !strings.Contains(n.Tag, "on") {
			continue
		}
		for k := range n.Attrs() {
			if strings.HasPrefix(k, "on") {
				count++
			}
		}
	}
	return count
}
