// Command catalogue writes the node types that the flowise plugin embeds, from a recorded answer of a server.
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

// without lists the members of a type that are not needed to build a node.
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

// heads lists the members that lists of types show.
var heads = strings.Fields("name label category description")

// line returns a type as one line: its heads, a tab, and the other members in their order.
func line(node json.RawMessage) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(node))
	if _, err := dec.Token(); err != nil {
		return nil, err
	}
	first := map[string][]byte{}
	var rest []byte
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, err
		}
		var member bytes.Buffer
		fmt.Fprintf(&member, "%q:", key)
		if err := json.Compact(&member, raw); err != nil {
			return nil, err
		}
		switch name := key.(string); {
		case slices.Contains(heads, name):
			first[name] = member.Bytes()
		case !slices.Contains(without, name):
			rest = append(append(rest, ','), member.Bytes()...)
		}
	}
	var head [][]byte
	for _, name := range heads {
		if first[name] != nil {
			head = append(head, first[name])
		}
	}
	return slices.Concat([]byte{'{'}, bytes.Join(head, []byte{','}), []byte{'\t'}, rest, []byte{'}'}), nil
}
