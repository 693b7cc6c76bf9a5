package model

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
)

// largePicture is the size in bytes from which on an embedded picture causes a warning.
const largePicture = 200_000

// ExternalContent lists what a viewer of the file may run or load. With events it also
// counts event attributes, which requires a look at all elements.
func (f *Drawing) ExternalContent(events bool) (out []string) {
	if n := f.Count("script"); n > 0 {
		out = append(out, pdk.Count(n, "script")+": kept, never run here")
	}
	if events {
		if n := f.handlers(); n > 0 {
			out = append(out, pdk.Count(n, "event attribute")+" with script: kept, never run here")
		}
	}
	var links []string
	large := 0
	for n := range f.Links() {
		href, _ := n.Href()
		switch href = strings.TrimSpace(href); {
		case strings.HasPrefix(href, "data:"):
			if len(href) > largePicture*4/3 { // base64
				large++
			}
		case href != "" && href[0] != '#' && f.Type(n) != "a":
			links = append(links, Line(href, 80))
		}
	}
	slices.Sort(links)
	for _, imported := range f.styles.Of(f.Doc).Imports() {
		links = append(links, Line(imported, 80))
	}
	if len(links) > 0 {
		out = append(out, pdk.Count(len(links), "link")+" to something outside, which is never loaded here: "+links[0])
	}
	if large > 0 {
		out = append(out, pdk.Count(large, "embedded picture")+fmt.Sprintf(" of more than %d KB", largePicture/1000))
	}
	return out
}

// handlers counts event attributes.
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
