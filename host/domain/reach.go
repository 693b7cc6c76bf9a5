package domain

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
)

// resourceUse sums up the resources in a manifest.
type resourceUse struct {
	any, documents bool     // it has resources; some are documents
	read           []string // extensions of files whose bytes it asks for in parts
	endings        []string // extensions of files that a document may refer to
	media          []string // those of them whose bytes it never gets
}

// sumResources fills in d.reaches.
func (d *Domain) sumResources() {
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

// endsIn reports whether a name has one of the extensions, which are in lower case.
func endsIn(name string, endings []string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(name, e) })
}

// TakesResources reports whether ops or actions of the domain may name resources.
func (d *Domain) TakesResources() bool { return d.reaches.any }

// NamesDocuments reports whether they may name other documents.
func (d *Domain) NamesDocuments() bool { return d.reaches.documents }

// AcceptsFile reports whether documents of the domain may refer to a file of this name.
func (d *Domain) AcceptsFile(name string) bool { return endsIn(name, d.reaches.endings) }

// ReadsFiles reports whether the domain may ask for parts of a file of this name that a call named before; for "",
// whether it may of any file.
func (d *Domain) ReadsFiles(name string) bool {
	return name == "" && len(d.reaches.read) > 0 || endsIn(name, d.reaches.read)
}

// AcceptsMedia reports whether the domain's documents may refer to the file as media, whose bytes only programs read.
func (d *Domain) AcceptsMedia(name string) bool { return endsIn(name, d.reaches.media) }

// Resources returns the resources that an op of the verb may name.
func (d *Domain) Resources(verb string) []abi.Resource {
	if v := d.verbs[verb]; v != nil {
		return v.Resources
	}
	return nil
}

// ActionResources returns the resources that an action of the domain may name.
func (d *Domain) ActionResources(name string) []abi.Resource {
	for i := range d.Manifest.Session {
		if d.Manifest.Session[i].Name == name {
			return d.Manifest.Session[i].Resources
		}
	}
	return nil
}

// IsMedia reports whether a file of this name is opened as a resource of a new document.
func (d *Domain) IsMedia(name string) bool { return endsIn(name, d.Manifest.Media) }

// WantsPrograms reports whether the domain has a want for programs.
func (d *Domain) WantsPrograms() bool { return WantsPrograms(d.Manifest) }
