package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"text/template"

	"github.com/fcp-host/fcp-host/internal/ends"
)

//go:embed files/formula.rb.tmpl
var formulaText string

var formula = template.Must(template.New("formula").Parse(formulaText))

// formula writes Homebrew's formula.
func (k *kit) formula() {
	values := map[string]string{"Version": k.version, "Repository": k.repository, "Summary": "MCP server for files, with sandboxed formats"}
	for _, b := range k.platforms() {
		if b.goos == "windows" {
			continue
		}
		name := fmt.Sprintf("fcp-host_%s_%s_%s.tar.gz", k.version, b.goos, b.goarch)
		sum := k.sum(name)
		values[b.goos+b.goarch+"url"], values[b.goos+b.goarch+"sum"] = k.downloads+"/"+name, sum
	}
	var b bytes.Buffer
	ends.If(formula.Option("missingkey=error").Execute(&b, values))
	k.put("fcp-host.rb", b.Bytes())
}
