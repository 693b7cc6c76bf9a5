// Package catalogue holds Flowise's node types, for editing flows without a server.
package catalogue

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"strings"
	"sync"

	"github.com/fcp-host/fcp-host/pdk/jsontree"
)

//go:generate go run ../../../../internal/flowise/catalogue

// packed has one line for each type: the members that lists show, a tab, and the other
// members.
//
//go:embed nodes.gz
var packed []byte

// Version is the version of Flowise that has these types.
const Version = "3.1.2"

// lines unpacks the catalogue once, because that takes longer than anything else.
var lines = sync.OnceValues(func() ([]string, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(z)
	if err != nil {
		return nil, err
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"), nil
})

// Heads returns all types with name, label, category and description, as GET /nodes
// lists them.
func Heads() (*jsontree.Value, error) {
	all, err := lines()
	if err != nil {
		return nil, err
	}
	heads := make([]string, len(all))
	for i, l := range all {
		head, _, _ := strings.Cut(l, "\t")
		heads[i] = head + "}"
	}
	return jsontree.Parse("[" + strings.Join(heads, ",") + "]")
}

// Node returns the type with a name, or nil and the names of all types.
func Node(name string) (node *jsontree.Value, names []string, err error) {
	all, err := lines()
	if err != nil {
		return nil, nil, err
	}
	for _, l := range all {
		is, _, _ := strings.Cut(strings.TrimPrefix(l, `{"name":"`), `"`)
		if is == name {
			node, err = jsontree.Parse(l)
			return node, nil, err
		}
		names = append(names, is)
	}
	return nil, names, nil
}
