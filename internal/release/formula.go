package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"text/template"
)

//go:embed files/formula.rb.tmpl
var formulaText string

var formula = template.Must(template.New("formula").Parse(formulaText))

// formula writes Homebrew's formula.
func (k *kit) formula() error {
	values := map[string]string{"Version": k.version, "Repository": k.repository, "Summary": "MCP server for files, with sandboxed formats"}
	for _, b := range k.platforms() {
		if b.goos == "windows" {
			continue
		}
		name := fmt.Sprintf("fcp-host_%s_%s_%s.tar.gz", k.version, b.goos, b.goarch)
		sum, err := k.sum(name)
		if err != nil {
			return err
		}
		values[b.goos+b.goarch+"url"], values[b.goos+b.goarch+"sum"] = k.downloads+"/"+name, sum
	}
	var b bytes.Buffer
	if err := formula.Option("missingkey=error").Execute(&b, values); err != nil {
		return err
	}
	return k.put("fcp-host.rb", b.Bytes())
}
