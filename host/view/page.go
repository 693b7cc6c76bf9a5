package view

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"strings"
	"sync"
)

// The page is one document, put together from these files: markup, a style, and one script made of parts that share their names.
//
//go:embed page
var embedded embed.FS

var parts = []string{"wire.js", "stage.js", "changes.js", "sound.js", "history.js", "main.js"}

// How a page reaches the host.
const (
	browser = "browser" // by requests to its own URL
	app     = "app"     // by messages to the page around it
)

// renderedPage is a page with its hashes for the policy, which allows its own script and style only.
type renderedPage struct{ html, script, style string }

var page = sync.OnceValue(func() renderedPage {
	read := func(name string) string {
		b, err := embedded.ReadFile("page/" + name)
		if err != nil {
			panic(err) // the template is embedded
		}
		return string(b)
	}
	var script strings.Builder
	script.WriteString("\"use strict\";\n")
	for _, name := range parts {
		script.WriteString(read(name))
	}
	m := renderedPage{script: script.String(), style: read("view.css")}
	m.html = strings.NewReplacer("/*STYLE*/", m.style, "/*SCRIPT*/", m.script).Replace(read("view.html"))
	return m
})

// pageFor returns the page for a transport: browser or app.
func pageFor(transport string) string {
	return strings.Replace(page().html, `content="TRANSPORT"`, `content="`+transport+`"`, 1)
}

// policy returns the page's Content-Security-Policy in a browser.
func policy() string {
	hash := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	m := page()
	return "default-src 'none'; script-src " + hash(m.script) + "; style-src " + hash(m.style) +
		"; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
}

// App returns the page for clients that show MCP Apps.
func App() string { return pageFor(app) }
