// Command make writes the catalogue of types of nodes that the flowise plugin carries, from what a server was recorded to answer.
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
	"github.com/fcp-host/fcp-host/pdk/jsontree"
)

// without are the members of a type that no node is built of.
var without = strings.Fields("name filePath loadMethods icon author badge documentation codeExample")

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	all, err := jsontree.Parse(flowise.Nodes())
	if err != nil {
		return err
	}
	var out bytes.Buffer
	z, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return err
	}
	for _, n := range all.Each() {
		line := `{"name":` + jsontree.Quote(n.Get("name").Text())
		for _, m := range n.Members {
			if !slices.Contains(without, m.Key) {
				line += "," + jsontree.Quote(m.Key) + ":" + m.Value.Raw()
			}
		}
		var one bytes.Buffer
		if err := json.Compact(&one, []byte(line+"}")); err != nil {
			return fmt.Errorf("%s: %w", n.Get("name").Text(), err)
		}
		one.WriteByte('\n')
		if _, err := z.Write(one.Bytes()); err != nil {
			return err
		}
	}
	if err := z.Close(); err != nil {
		return err
	}
	return os.WriteFile("nodes.gz", out.Bytes(), 0o644)
}
