// Command catalogue writes the types of nodes that the flowise plugin carries, from what a server was recorded to answer.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/internal/flowise"
)

// without are the members of a type that no node is built of.
var without = strings.Fields("filePath loadMethods icon author badge documentation codeExample")

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	var nodes []json.RawMessage
	if err := json.Unmarshal([]byte(flowise.Nodes()), &nodes); err != nil {
		return err
	}
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return err
	}
	for _, n := range nodes {
		text, err := line(n)
		if err != nil {
			return err
		}
		if _, err := z.Write(append(text, '\n')); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile("nodes.gz", out.Bytes(), 0o644)
}

// line is a type on one line, its name first and the others as they come.
func line(node json.RawMessage) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(node))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	var name, rest []byte
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, err
		}
		switch member := fmt.Appendf(nil, "%q:%s", key, raw); {
		case key == "name":
			name = member
		case !slices.Contains(without, key.(string)):
			rest = append(append(rest, ','), member...)
		}
	}
	var b bytes.Buffer
	err := json.Compact(&b, slices.Concat([]byte("{"), name, rest, []byte("}")))
	return b.Bytes(), err
}
