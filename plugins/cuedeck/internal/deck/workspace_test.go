package deck

import (
	"maps"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// now is the time of every call in tests.
const now = 1767349800000 // 2026-01-02T10:30:00Z

func world() *pdktest.World { return &pdktest.World{Now: now} }

// project is a small workspace: five cards, a broken one, and docs.
var project = map[string]string{
	".cuedeck/cards/aaaaaa.md":  "---\ntitle: Set up the build\nstatus: done\npriority: high\nassignee: ana\ntags: [infra]\ncreated: 2025-12-01T08:00:00Z\nupdated: 2025-12-03T08:00:00Z\n---\n\n# Set up the build\n",
	".cuedeck/cards/bbbbbb.md":  "---\ntitle: Design the schema # first\nstatus: active\npriority: critical\nassignee: \"@dev\"\ntags:\n  - db # the only one\n  - design\ndepends_on: [aaaaaa]\ncreated: 2025-12-02T08:00:00Z\nupdated: 2025-12-20T08:00:00Z\nestimate: 3\n---\n\n# Design the schema\n\n- [x] tables\n- [ ] indexes\n- [ ] see [the plan](../../docs/plan.md#risks)\n\n## Notes\n\n- 2025-12-20: halfway\n",
	".cuedeck/cards/cccccc.md":  "---\r\ntitle: Write the API\r\nstatus: todo\r\npriority: high\r\ntags: [api]\r\ndepends_on: [bbbbbb]\r\ncreated: 2025-12-03T08:00:00Z\r\n---\r\n\r\n# Write the API\r\n",
	".cuedeck/cards/dddddd.md":  "---\ntitle: \"Deploy: staging\"\nstatus: todo\npriority: low\ntags: [infra, ops]\ndepends_on: [aaaaaa, cccccc]\ncreated: 2025-12-04T08:00:00Z\n---\n\n# Deploy: staging\n",
	".cuedeck/cards/eeeeee.md":  "---\ntitle: Write docs\nstatus: todo\npriority: medium\ncreated: 2025-12-05T08:00:00Z\n---\n\n# Write docs\n",
	".cuedeck/cards/ffffff.md":  "---\ntitle: Broken\nassignee: @dev\n---\n\n# Broken\n",
	".cuedeck/cards/By hand.md": "# By hand\n\nNo front matter.\n",
	".cuedeck/config.toml":      "[scene]\ntoken_limit = 2000\n",
	".cuedeck/SCENE.md":         "# Scene\n",
	"docs/plan.md":              "# Plan\n\nWhat we do.\n\n## Risks\n\nNone yet.\n\n### Licence\n\nNot settled.\n\n## Steps\n\n1. [API](api.md)\n2. [Risks](#risks)\n",
	"docs/api.md":               "---\nowner: ana\n---\n# API\n\n```sh\n# no heading\n```\n\n## Login flow\n\nPOST /login\n",
	"src/auth.go":               "package auth\n\n// VerifyToken checks a token.\nfunc VerifyToken(t string) error { return nil }\n",
	"README.md":                 "# Northwind\n",
}

func workspace(t testing.TB) *pdktest.Doc {
	t.Helper()
	return pdktest.OpenFolder(t, Domain(), maps.Clone(project), world())
}

// Settings with extreme nesting are refused before they are parsed. Brackets in strings and comments do not count.
func TestSettingsAreBounded(t *testing.T) {
	for text, want := range map[string]string{
		"name = \"x\"\nx = " + strings.Repeat("[", 20_000):                "line 2 is nested more than 32 levels deep",
		"x = " + strings.Repeat(`["]", `, 9_000):                          "line 1 is nested",
		"x = " + strings.Repeat("{a=", 20_000):                            "line 1 is nested",
		"x = \"\"\"\n\n\"\"\"\na" + strings.Repeat(".a", 20_000) + " = 1": "line 4 is nested",
		"[a" + strings.Repeat(".a", 20_000) + "]":                         "line 1 is nested",
		strings.Repeat("#", 64<<10) + "\n":                                "it has 65537 bytes, more than 65536",

		"# " + strings.Repeat("[", 99) + "\nname = '" + strings.Repeat("[", 99) + "'":                                 "",
		"name = \"\\\"" + strings.Repeat("[.", 99) + "\"\n[docs]\nignore = [" + strings.Repeat("'a.b', ", 99) + "]\n": "",
		"name = '''\n" + strings.Repeat("{", 99) + "'''":                                                              "",
	} {
		files := maps.Clone(project)
		files[Config] = text
		got := pdktest.OpenFolder(t, Domain(), files, world()).Query("doctor")
		if want == "" && strings.Contains(got, Config) || !strings.Contains(got, want) {
			t.Errorf("%.30q: %s\nwant %s", text, got, want)
		}
	}
}

// A card with an alias bomb is a broken card, and kept as it is.
func TestAnAliasBombIsABrokenCard(t *testing.T) {
	files := maps.Clone(project)
	const name = ".cuedeck/cards/bomb00.md"
	files[name] = "---\nx: " + strings.Repeat("[", 20_000) + "\n---\n"
	doc := pdktest.OpenFolder(t, Domain(), files, world())
	if got := doc.Query("doctor"); !strings.Contains(got, name+" cannot be read: line 2: its front matter is nested") {
		t.Error(got)
	}
	if got := doc.Query("list"); !strings.Contains(got, "Write the API") {
		t.Error(got)
	}
}
