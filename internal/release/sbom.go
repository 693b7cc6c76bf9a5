package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/internal/ends"
)

// syft lists the modules from which a Go binary was built.
const syft = "github.com/anchore/syft/cmd/syft@v1.46.0"

// bills writes an SPDX bill of materials for each platform's program: what syft finds in it, and the modules in its
// domains, which syft cannot read.
func (k *kit) bills() {
	inside := ends.Unless(modules(true))
	for _, b := range k.platforms() {
		cmd := exec.Command("go", "run", syft, "scan", "file:"+b.file, "--source-name", "fcp-host", "--source-version", k.version, "--output", "spdx-json", "--quiet")
		cmd.Env = append(os.Environ(), "SYFT_CHECK_FOR_APP_UPDATE=false")
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		ends.In("syft", err)
		text := k.bill(out, inside)
		k.put(fmt.Sprintf("fcp-host_%s_%s_%s.spdx.json", k.version, b.goos, b.goarch), text)
	}
}

// bill adds the modules in domains to a document, and removes from it what differs in each run.
func (k *kit) bill(document []byte, inside []module) []byte {
	var doc map[string]any
	ends.If(json.Unmarshal(document, &doc))
	packages, _ := doc["packages"].([]any)
	relationships, _ := doc["relationships"].([]any)
	root := ""
	for _, r := range relationships {
		if r, _ := r.(map[string]any); r["relationshipType"] == "DESCRIBES" {
			root, _ = r["relatedSpdxElement"].(string)
		}
	}
	if len(packages) < 2 || root == "" {
		ends.If(fmt.Errorf("syft found %d packages", len(packages)))
	}
	has := func(m module) bool {
		return slices.ContainsFunc(packages, func(p any) bool {
			known, _ := p.(map[string]any)
			return known["name"] == m.path
		})
	}
	for _, m := range inside {
		if has(m) {
			continue
		}
		id := "SPDXRef-Package-domain-" + strings.NewReplacer("/", "-", "_", "-").Replace(m.path)
		packages = append(packages, map[string]any{
			"SPDXID": id, "name": m.path, "versionInfo": m.version, "downloadLocation": "NOASSERTION", "filesAnalyzed": false,
			"licenseConcluded": "NOASSERTION", "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION", "supplier": "NOASSERTION",
			"comment":      "in a domain that is built in",
			"externalRefs": []any{map[string]any{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": "pkg:golang/" + strings.ToLower(m.path) + "@" + m.version}},
		})
		relationships = append(relationships, map[string]any{"spdxElementId": root, "relatedSpdxElement": id, "relationshipType": "CONTAINS"})
	}
	doc["packages"], doc["relationships"] = packages, relationships
	for _, p := range packages {
		if p, _ := p.(map[string]any); p["name"] == "github.com/fcp-host/fcp-host" {
			p["versionInfo"] = "v" + k.version // the go command does not record it in a binary
		}
	}
	created, _ := doc["creationInfo"].(map[string]any)
	created["created"] = k.at.Format(time.RFC3339)
	doc["documentNamespace"] = ""
	text := ends.Unless(json.Marshal(doc))
	// The namespace must be unique to this document: derive it from the rest.
	sum := sha256.Sum256(text)
	doc["documentNamespace"] = fmt.Sprintf("%s/spdx/fcp-host-%s-%x", k.repository, k.version, sum[:16])
	return bytes.TrimSpace(ends.Unless(marshal(doc)))
}
