package mcpserver

import (
	"slices"
	"strings"
	"testing"
)

func TestTheSkillOfEachDomainIsAResource(t *testing.T) {
	all := talk(t, start(t, t.TempDir(), false), initialize,
		`{"jsonrpc":"2.0","id":1,"method":"resources/list"}`,
		`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"skill://fcp-list/SKILL.md"}}`,
		`{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"skill://fcp-other/SKILL.md"}}`,
		`{"jsonrpc":"2.0","id":4,"method":"resources/templates/list"}`)
	var listed struct {
		Resources []struct{ URI, Name, Description, MimeType string }
	}
	result(t, all, 1, &listed)
	if len(listed.Resources) != 1 || listed.Resources[0].URI != "skill://fcp-list/SKILL.md" || listed.Resources[0].Name != "fcp-list" || listed.Resources[0].MimeType != "text/markdown" {
		t.Fatalf("the resources are %+v", listed.Resources)
	}
	var read struct {
		Contents []struct{ URI, MimeType, Text string }
	}
	result(t, all, 2, &read)
	if len(read.Contents) != 1 || read.Contents[0].MimeType != "text/markdown" || !strings.HasPrefix(read.Contents[0].Text, "---\nname: fcp-list\n") ||
		!strings.Contains(read.Contents[0].Text, listed.Resources[0].Description[len(listed.Resources[0].Description)-40:]) {
		t.Errorf("the skill is %+v", read.Contents)
	}
	for _, m := range all {
		if string(m.ID) == "3" && m.Error == nil {
			t.Errorf("a skill of no domain is %s", m.Result)
		}
	}
	var templates struct {
		ResourceTemplates []struct{ URITemplate string }
	}
	result(t, all, 4, &templates)
	if !slices.ContainsFunc(templates.ResourceTemplates, func(r struct{ URITemplate string }) bool { return r.URITemplate == "skill://{name}/SKILL.md" }) {
		t.Errorf("the templates are %+v", templates.ResourceTemplates)
	}
}
