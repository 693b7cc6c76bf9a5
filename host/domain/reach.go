package domain

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
)

// reaches sums up what a manifest says of resources.
type reaches struct {
	any, documents bool     // there are some, and some that are documents
	read           []string // endings of files whose bytes it asks for, stretch by stretch
	endings        []string // of files that a document may be made of
	media          []string // those of them whose bytes it is not given
}

// reach sums it up.
func (d *Domain) reach() {
	m := d.Manifest
	add := func(list []abi.Resource) {
		for i := range list {
			d.reaches.any = true
			d.reaches.documents = d.reaches.documents || list[i].Kind == abi.ResourceDocument
			switch list[i].Kind {
			case abi.ResourceBytes:
				d.reaches.endings = append(d.reaches.endings, lower(list[i].Accept)...)
			case abi.ResourceFile:
				d.reaches.read = append(d.reaches.read, lower(list[i].Accept)...)
				d.reaches.endings = append(d.reaches.endings, lower(list[i].Accept)...)
			case abi.ResourceProbe:
				d.reaches.media = append(d.reaches.media, lower(list[i].Accept)...)
			}
		}
	}
	for i := range m.Verbs {
		add(m.Verbs[i].Resources)
	}
	for i := range m.Session {
		add(m.Session[i].Resources)
	}
	add(m.NewResources)
	d.reaches.media = append(d.reaches.media, lower(m.Media)...)
	d.reaches.endings = append(d.reaches.endings, d.reaches.media...)
}

func lower(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = strings.ToLower(s)
	}
	return out
}

// endsIn reports whether a name has one of these endings, which are in lower case.
func endsIn(name string, endings []string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(name, e) })
}

// Supplied reports whether words of the domain's calls may name something outside.
func (d *Domain) Supplied() bool { return d.reaches.any }

// NamesDocuments reports whether they may name other documents.
func (d *Domain) NamesDocuments() bool { return d.reaches.documents }

// Takes reports whether the domain says that its documents are made of files of such a name.
func (d *Domain) Takes(name string) bool { return endsIn(name, d.reaches.endings) }

// ReadsFiles reports whether the domain may ask for stretches of files of such a name that a call named before; of "" whether it has any.
func (d *Domain) ReadsFiles(name string) bool {
	return name == "" && len(d.reaches.read) > 0 || endsIn(name, d.reaches.read)
}

// Refers reports whether its documents may mention files of such a name: media, whose bytes programs alone are to read.
func (d *Domain) Refers(name string) bool { return endsIn(name, d.reaches.media) }

// Resources are those that an op of the verb names.
func (d *Domain) Resources(verb string) []abi.Resource {
	if v := d.verbs[verb]; v != nil {
		return v.Resources
	}
	return nil
}

// ActionResources are those that a session action of the domain's own names.
func (d *Domain) ActionResources(name string) []abi.Resource {
	for i := range d.Manifest.Session {
		if d.Manifest.Session[i].Name == name {
			return d.Manifest.Session[i].Resources
		}
	}
	return nil
}

// IsMedia reports whether the manifest says that files of such a name are opened as resources of a new document.
func (d *Domain) IsMedia(name string) bool { return endsIn(name, d.Manifest.Media) }

// Runs reports whether the domain has a use for programs.
func (d *Domain) Runs() bool { return WantsPrograms(d.Manifest) }
