package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// viewed is a server with these plugins that shows its documents, and the address of its page.
func viewed(t *testing.T, plugins ...string) (c *client, address string) {
	t.Helper()
	args := []string{"--view"}
	for _, p := range plugins {
		args = append(args, "--plugin", testwasm.Build(t, "plugins/"+p))
	}
	c = serveProcess(t, t.TempDir(), args...)
	first := plugins[0]
	c.session(first, `new "First"`)
	said := c.session(first, "view")
	if address = regexp.MustCompile(`http://127\.0\.0\.1:\d+/\w+/`).FindString(said); address == "" {
		t.Fatalf("the action view says %q", said)
	}
	c.session(first, "close")
	return c, address
}

// look keeps a picture of a page where FCP_PICTURES says, for people.
func look(t *testing.T, p *judge.Tab, name string) {
	t.Helper()
	if dir := os.Getenv("FCP_PICTURES"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name+".png"), p.Picture(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// local holds that a page had nothing to complain about, and asked for nothing but what is at its own address.
func local(t *testing.T, p *judge.Tab, address string) {
	t.Helper()
	for _, url := range p.Requests() {
		if !strings.HasPrefix(url, address) && !strings.HasPrefix(url, "data:") && url != "about:blank" {
			t.Errorf("the page asked for %s", url)
		}
	}
	if said := slices.DeleteFunc(p.Said(), func(s string) bool { return strings.Contains(s, "ERR_CONNECTION") }); len(said) > 0 {
		t.Errorf("the page says %q", said)
	}
}

const shows = `!document.querySelector("#sheet").hidden && document.querySelector("#picture").naturalWidth > 0`

// showing waits until the page shows the document with this digest.
func showing(p *judge.Tab, want string) {
	p.Wait(shows + ` && document.querySelector("#digest").textContent.startsWith("[` + want + `")`)
}

func TestJudgeThePageShowsADiagramAndFollowsIt(t *testing.T) {
	judge.Browser(t)
	c, address := viewed(t, "drawio")
	p := judge.Open(t, address, 1180, 760, false)
	p.Wait(`document.querySelector("#empty").textContent.startsWith("No document is open")`)
	c.session("drawio", `new "Shop"`)
	c.edit("drawio", "add svc Gateway", "add svc Orders near:Gateway dir:right", "add svc Auth near:Gateway dir:below", "add db OrderDB near:Orders dir:below",
		"connect Gateway -> Orders", "connect Gateway -> Auth", "connect Orders -> OrderDB")
	showing(p, "4s 3e")
	look(t, p, "diagram")

	c.edit("drawio", "add queue Mails near:Auth dir:left theme:green", "connect Auth -> Mails")
	showing(p, "5s 4e")
	p.Wait(`document.querySelectorAll(".change").length > 0`)
	look(t, p, "diagram-changed")

	c.session("drawio", "checkpoint before")
	c.edit("drawio", "remove Gateway")
	showing(p, "4s 2e")
	look(t, p, "diagram-removed")
	p.Eval(`document.querySelector("#undo").click()`, nil)
	showing(p, "5s 4e")
	if said := c.session("drawio", "status"); !strings.Contains(said, "1 to redo") || !strings.Contains(said, "done in the view, by a person: undo batch") {
		t.Errorf("after undo in the page, status says %q", said)
	}
	local(t, p, address)

	dark := judge.Open(t, address, 1180, 760, true)
	showing(dark, "5s 4e")
	look(t, dark, "diagram-dark")
	narrow := judge.Open(t, address, 390, 700, true)
	showing(narrow, "5s 4e")
	look(t, narrow, "diagram-narrow")
	narrow.Eval(`document.querySelector("#panel").click()`, nil)
	look(t, narrow, "diagram-narrow-history")
}
