package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheGeneratedCodecMatchesTheStructs(t *testing.T) {
	const abi = "../../abi"
	codec, err := os.ReadFile(filepath.Join(abi, "codec.go"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, ok := strings.Cut(string(codec), "//go:generate go run ../internal/abigen ")
	if !ok {
		t.Fatal("abi/codec.go has no line that runs abigen")
	}
	names, _, _ := strings.Cut(rest, "\n")
	want, err := generate(abi, strings.Fields(names))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(abi, output))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("abi/%s is stale: run go generate ./abi", output)
	}
}

func TestAnUnsupportedFieldIsNamed(t *testing.T) {
	for _, tt := range []struct{ field, want string }{
		{"A float64 `msgpack:\"a\"`", "M.A: no codec for the type float64"},
		{"A map[string]string `msgpack:\"a\"`", "M.A: no codec for the type ?"},
		{"A *M `msgpack:\"a\"`", "M.A: no codec for the type *M with omitempty false"},
		{"A M `msgpack:\"a,omitempty\"`", "M.A: no codec for the type M with omitempty true"},
		{"A [][]string `msgpack:\"a\"`", "M.A: no codec for the type [][]string"},
		{"A []*M `msgpack:\"a\"`", "M.A: no codec for the type []*M"},
		{"A string `msgpack:\"a,inline\"`", `M: a field with the tag "a,inline"`},
		{"A, B string `msgpack:\"a\"`", "M: a field with the tag"},
		{"A string `msgpack:\"\"`", "M: a field with the tag"},
		{"A string `msgpack:\"" + strings.Repeat("a", 32) + "\"`", "M: a field with the tag"},
	} {
		dir := t.TempDir()
		source := "package abi\n\ntype M struct {\n" + tt.field + "\n}\n"
		if err := os.WriteFile(filepath.Join(dir, "m.go"), []byte(source), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := generate(dir, []string{"M"}); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.field, err, tt.want)
		}
	}
}

func TestAnUnsupportedMessageIsNamed(t *testing.T) {
	for message, want := range map[string]string{"Nothing": "no struct Nothing", "Manifest": "fields, more than AppendMap takes"} {
		if _, err := generate("../../abi", []string{"Op", message}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", message, err)
		}
	}
}
