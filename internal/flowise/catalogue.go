package flowise

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"errors"
	"io"
	"path"
	"regexp"
	"sync"
)

// shipped holds files of the npm package, unchanged: marketplaces/chatflows and marketplaces/agentflowsv2, and the answer of GET /nodes,
// nodes.json.
//
//go:embed testdata/shipped.tar.gz
var shipped []byte

var files = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	z, err := gzip.NewReader(bytes.NewReader(shipped))
	if err != nil {
		panic(err)
	}
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			panic(err)
		}
		data, err := io.ReadAll(t)
		if err != nil {
			panic(err)
		}
		out[h.Name] = string(data)
	}
})

// Flows returns the 37 flows that Flowise ships, chatflows and agentflows, by type and name: "CHATFLOW/ReAct Agent".
func Flows() map[string]string {
	out := map[string]string{}
	for name, text := range files() {
		switch base := path.Base(name); path.Dir(name) {
		case "chatflows":
			out["CHATFLOW/"+base[:len(base)-len(".json")]] = text
		case "agentflowsv2":
			out["AGENTFLOW/"+base[:len(base)-len(".json")]] = text
		}
	}
	return out
}

// Nodes returns the answer of GET /nodes.
func Nodes() string { return files()["nodes.json"] }

// types maps names to the entries of the catalogue.
var types = sync.OnceValue(func() map[string]string {
	var all []json.RawMessage
	if err := json.Unmarshal([]byte(Nodes()), &all); err != nil {
		panic(err)
	}
	out := map[string]string{}
	for _, node := range all {
		var n struct{ Name string }
		if err := json.Unmarshal(node, &n); err != nil {
			panic(err)
		}
		out[n.Name] = string(node)
	}
	return out
})

// nodes answers requests for the catalogue, and for one of its types.
func (s *Server) nodes(name string) Answer {
	a := s.answers["node"]
	if name == "" {
		a.Body = Nodes()
		return a
	}
	if node, ok := types()[name]; ok {
		a.Body = node
		return a
	}
	a = s.answers["no such node"]
	a.Body = regexp.MustCompile(`Node nobody`).ReplaceAllLiteralString(a.Body, "Node "+name)
	return a
}
