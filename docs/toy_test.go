package docs_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/docs"
	"github.com/fcp-host/fcp-host/internal/toy"
)

// exchangeProgram is a test of the toy domain that runs the exchange of abi.md.
const exchangeProgram = `package main

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"github.com/fcp-host/fcp-host/pdk"
)

func TestTheExchangeOfTheABIPage(t *testing.T) {
	data, err := os.ReadFile("exchange.json")
	if err != nil {
		t.Fatal(err)
	}
	var calls []struct {
		Export  string
		In, Out []byte
	}
	if err := json.Unmarshal(data, &calls); err != nil {
		t.Fatal(err)
	}
	in := pdk.NewInstance(domain)
	for _, c := range calls {
		out, err := in.Call(c.Export, c.In)
		if err != nil {
			t.Fatalf("%s: %v", c.Export, err)
		}
		if !bytes.Equal(out, c.Out) {
			t.Errorf("%s answers\n% x\nthe page says\n% x", c.Export, out, c.Out)
		}
	}
}
`

func TestTheToyDomainOfTheAuthoringPage(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a module")
	}
	t.Run("is shorter than 150 lines", func(t *testing.T) {
		if n := strings.Count(docs.Files(docs.Authoring)["main.go"], "\n"); n == 0 || n >= 150 {
			t.Errorf("it has %d lines", n)
		}
	})
	dir := t.TempDir()
	if err := toy.Write(dir); err != nil {
		t.Fatal(err)
	}
	type step struct {
		Export  string
		In, Out []byte
	}
	var steps []step
	for _, c := range exchange(t) {
		in, err := abi.Marshal(c.in)
		if err != nil {
			t.Fatal(err)
		}
		out, err := abi.Marshal(c.out)
		if err != nil {
			t.Fatal(err)
		}
		steps = append(steps, step{c.export, in, out})
	}
	list, err := json.Marshal(steps)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"exchange.json": list, "exchange_test.go": []byte(exchangeProgram)} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("passes its own tests and answers the exchange of the ABI page", func(t *testing.T) {
		if err := toy.Go(dir, nil, "test", "."); err != nil {
			t.Error(err)
		}
	})
	t.Run("passes go vet", func(t *testing.T) {
		if err := toy.Go(dir, nil, "vet", "."); err != nil {
			t.Error(err)
		}
	})
	t.Run("builds as a plugin", func(t *testing.T) {
		wasm, err := toy.Build(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		if head, err := os.ReadFile(wasm); err != nil || !strings.HasPrefix(string(head), "\x00asm\x01\x00\x00\x00") {
			t.Errorf("%s is not a module: %v", wasm, err)
		}
	})
}
