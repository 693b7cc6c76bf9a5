package command

import (
	"bytes"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// startView starts a server with these plugins and the view, and returns the address of its page.
func startView(t *testing.T, plugins ...string) (c *client, address string) {
	t.Helper()
	args := []string{"--view"}
	for _, p := range plugins {
		if p == "cuedeck" {
			args = append(args, "--grant", "cuedeck=folder")
		}
		args = append(args, "--plugin", testwasm.Build(t, "plugins/"+p))
	}
	c = serveProcess(t, t.TempDir(), args...)
	c.request("tools/list", nil, nil) // waits for the plugins
	first := plugins[0]
	c.session(first, `new "First"`)
	said := c.session(first, "view")
	if address = regexp.MustCompile(`http://127\.0\.0\.1:\d+/\w+/`).FindString(said); address == "" {
		t.Fatalf("the action view says %q", said)
	}
	c.session(first, "close")
	return c, address
}

// keepPicture writes a picture of the page to the folder FCP_PICTURES, for people to look at.
func keepPicture(t *testing.T, p *judge.Tab, name string) {
	t.Helper()
	if dir := os.Getenv("FCP_PICTURES"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name+".png"), p.Picture(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// checkRequests checks that the page logged no errors and requested nothing but its own address.
func checkRequests(t *testing.T, p *judge.Tab, address string) {
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

// isSelected is true once the page shows that name is selected and the host knows it.
func isSelected(name string) string {
	return `document.querySelector("#picked[aria-busy=false] #pickedname")?.textContent == "` + name + `"`
}

// showing waits until the page shows the document with this digest.
func showing(p *judge.Tab, want string) {
	p.Wait(shows + ` && document.querySelector("#digest").textContent.startsWith("[` + want + `")`)
}

// checkNames checks that each part of the page has a name for screen readers.
func checkNames(t *testing.T, p *judge.Tab) {
	t.Helper()
	var tree struct {
		Nodes []struct {
			Ignored    bool
			Role, Name struct{ Value string }
		}
	}
	if err := p.Do("Accessibility.getFullAXTree", nil, &tree); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, node := range tree.Nodes {
		if slices.Contains([]string{"button", "textbox", "slider", "combobox", "image", "toolbar", "group", "complementary", "navigation"}, node.Role.Value) && !node.Ignored {
			if n++; node.Name.Value == "" {
				t.Errorf("a %s has no name", node.Role.Value)
			}
		}
	}
	if n < 12 {
		t.Errorf("only %d parts are there to be heard", n)
	}
}

// number parses a zoom in percent.
func number(percent string) float64 {
	n, _ := strconv.ParseFloat(strings.TrimSuffix(percent, " %"), 64)
	return n
}

// redCentre returns the centre of the red pixels of a page.
func redCentre(t *testing.T, p *judge.Tab) (x, y float64) {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(p.Picture()))
	if err != nil {
		t.Fatal(err)
	}
	n := 0.0
	for at := img.Bounds().Min; at.Y < img.Bounds().Max.Y; at.X, at.Y = 0, at.Y+1 {
		for ; at.X < img.Bounds().Max.X; at.X++ {
			if r, g, b, _ := img.At(at.X, at.Y).RGBA(); r > 0xf000 && g < 0x1000 && b < 0x1000 {
				x, y, n = x+float64(at.X), y+float64(at.Y), n+1
			}
		}
	}
	return x / n, y / n
}
