package folder

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Pattern says which files of a folder belong to its document.
//
// Include and Exclude are patterns of whole paths: elements as in path.Match, and ** for any number of elements. A file
// whose name starts with a dot needs a pattern whose last element starts with one, too. Folders whose names start with
// a dot are never entered, except the marker.
type Pattern struct {
	Include []string
	Exclude []string // files to leave out and folders not to enter
	Marker  string   // the name of a subfolder that makes the folder a document; "" for none
}

// pattern is a Pattern, split into elements.
type pattern struct {
	include, exclude [][]string
	marker           string
	text             string // of Include
}

func compile(p Pattern) (pattern, error) {
	out := pattern{marker: p.Marker, text: strings.Join(p.Include, ", ")}
	if len(p.Include) == 0 {
		return out, errors.New("the pattern includes no files")
	}
	if m := p.Marker; m != "" && (m == "." || m == ".." || strings.ContainsAny(m, "/\\\x00") || strings.HasPrefix(m, ours)) {
		return out, fmt.Errorf("the marker %q is not a name", m)
	}
	split := func(globs []string) (all [][]string, err error) {
		for _, glob := range globs {
			elements := strings.Split(glob, "/")
			for _, e := range elements {
				if _, err := path.Match(e, ""); err != nil || e == "" || e == "." || e == ".." {
					return nil, fmt.Errorf("the pattern %q is malformed", glob)
				}
			}
			all = append(all, elements)
		}
		return all, nil
	}
	var err error
	if out.include, err = split(p.Include); err != nil {
		return out, err
	}
	out.exclude, err = split(p.Exclude)
	return out, err
}

// includes reports whether the file of that name belongs to the document. The caller checks the folders above it.
func (p *pattern) includes(name string) bool {
	elements := strings.Split(name, "/")
	hidden := strings.HasPrefix(elements[len(elements)-1], ".")
	return slices.ContainsFunc(p.include, func(glob []string) bool {
		return (!hidden || strings.HasPrefix(glob[len(glob)-1], ".")) && match(glob, elements)
	}) && !p.excludes(name)
}

// excludes reports whether a file or folder is left out.
func (p *pattern) excludes(name string) bool {
	elements := strings.Split(name, "/")
	return slices.ContainsFunc(p.exclude, func(glob []string) bool { return match(glob, elements) })
}

// match backtracks only to the last **, which is sufficient.
func match(glob, elements []string) bool {
	g, e, star, retry := 0, 0, -1, 0
	for e < len(elements) {
		switch {
		case g < len(glob) && glob[g] == "**":
			star, retry = g, e
			g++
		case g < len(glob) && matchElement(glob[g], elements[e]):
			g++
			e++
		case star >= 0:
			retry++
			g, e = star+1, retry
		default:
			return false
		}
	}
	for g < len(glob) && glob[g] == "**" {
		g++
	}
	return g == len(glob)
}

func matchElement(glob, element string) bool {
	ok, _ := path.Match(glob, element) // compile validated the pattern
	return ok
}

// Takes reports whether a file of that name would belong to the document. It need not exist.
func (f *Folder) Takes(name string) bool { return f.pattern.check(name) == nil }
