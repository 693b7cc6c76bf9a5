package main

import (
	"bytes"
	"debug/buildinfo"
	"debug/macho"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/fcp-host/fcp-host/internal/judge"
)

func TestJudgeReleaseBundleIsValidAndRuns(t *testing.T) {
	r := builtRelease(t)
	node, modules := judge.Npm(t, "@anthropic-ai/mcpb")
	mcpb := filepath.Join(modules, "@anthropic-ai", "mcpb", "dist", "cli", "cli.js")
	files, err := filepath.Glob(r.file("*.mcpb"))
	if err != nil || len(files) != 5 {
		t.Fatalf("%q %v", files, err)
	}
	env, home := newUserEnv(t)
	for _, file := range files {
		dir := filepath.Join(home, "Claude Extensions", filepath.Base(file))
		must(t, home, env, node, mcpb, "unpack", file, dir)
		if out := must(t, home, env, node, mcpb, "validate", filepath.Join(dir, "manifest.json")); !strings.Contains(out, "passes") || strings.Contains(strings.ToLower(out), "warning") {
			t.Errorf("%s: %s", file, out)
		}
		if strings.Contains(file, "_darwin_all") {
			if fat, err := macho.OpenFat(filepath.Join(dir, "server", "fcp-host")); err != nil || len(fat.Arches) != 2 {
				t.Errorf("the program for macOS: %+v %v", fat, err)
			}
		}
		if !strings.HasSuffix(file, "_linux_amd64.mcpb") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
		if err != nil {
			t.Fatal(err)
		}
		var m bundleManifest
		if err := json.Unmarshal(text, &m); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(filepath.Join(dir, m.Server.EntryPoint)); err != nil || info.Mode().Perm()&0o100 == 0 {
			t.Fatalf("the program of the bundle: %v %v", info, err)
		}
		// Starts it as Claude Desktop does after the folder is chosen, with Claude Desktop's
		// library.
		folder := filepath.Join(home, "Documents")
		script := `import {getMcpConfigForManifest as config} from ` + quoted(t, "file://"+filepath.Join(modules, "@anthropic-ai", "mcpb", "dist", "shared", "config.js")) + `;
			console.log(JSON.stringify(await config({manifest: ` + string(text) + `, extensionPath: ` + quoted(t, dir) + `, systemDirs: {}, userConfig: {folder: ` + quoted(t, folder) + `}, pathSeparator: "/"})))`
		var c bundleConfig
		if err := json.Unmarshal([]byte(must(t, home, env, node, "--input-type=module", "-e", script)), &c); err != nil {
			t.Fatal(err)
		}
		argv := append([]string{c.Command}, c.Args...)
		checkProgram(t, r, must(t, home, env, argv[0], "version", "--json"))
		checkEditing(t, "/", folder, env, argv...)
		if len(m.Tools) != 20 {
			t.Errorf("the manifest names %d tools", len(m.Tools))
		}
	}
}

// quoted returns a string as a JavaScript literal.
func quoted(t *testing.T, s string) string {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestJudgeReleaseServerEntryFitsTheSchemaOfTheRegistry(t *testing.T) {
	r := builtRelease(t)
	// The registry's own module contains the schemas of its entries.
	out, err := run1(t.TempDir(), "go", "mod", "download", "-json", "github.com/modelcontextprotocol/registry@v1.5.0")
	if err != nil {
		t.Skipf("the registry's module cannot be had: %v", err)
	}
	var m struct{ Dir string }
	if err := json.Unmarshal([]byte(out), &m); err != nil {
		t.Fatal(err)
	}
	entry, err := os.ReadFile(r.file("server.json"))
	if err != nil {
		t.Fatal(err)
	}
	version := regexp.MustCompile(`schemas/([0-9-]+)/`).FindStringSubmatch(string(entry))
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join(m.Dir, "internal", "validators", "schemas", version[1]+".json"))
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(entry))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("%v\n%s", err, entry)
	}
}

func TestJudgeReleaseBillsNameTheModulesOfTheProgramAndItsDomains(t *testing.T) {
	r := builtRelease(t)
	for _, b := range builds {
		if b.goos == "wasip1" {
			continue
		}
		text, err := os.ReadFile(r.file(fmt.Sprintf("fcp-host_%s_%s_%s.spdx.json", releaseVersion, b.goos, b.goarch)))
		if err != nil {
			t.Fatal(err)
		}
		var doc struct {
			SPDXVersion string
			Packages    []struct{ Name, VersionInfo string }
		}
		if err := json.Unmarshal(text, &doc); err != nil {
			t.Fatal(err)
		}
		var named []string
		for _, p := range doc.Packages {
			named = append(named, p.Name+" "+p.VersionInfo)
		}
		want := []string{"github.com/fcp-host/fcp-host " + tagName, "github.com/yuin/goldmark", "github.com/goccy/go-yaml", "github.com/extism/go-pdk"}
		build, err := buildinfo.ReadFile(filepath.Join(unpack(t, r, b.goos, b.goarch), binary{goos: b.goos}.program()))
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range build.Deps {
			want = append(want, d.Path+" "+d.Version)
		}
		for _, w := range want {
			if !slices.ContainsFunc(named, func(n string) bool { return n == w || strings.HasPrefix(n, w+" ") }) {
				t.Errorf("%s/%s: it does not name %s", b.goos, b.goarch, w)
			}
		}
		// A third-party parser.
		must(t, t.TempDir(), append(cleanEnv(), "GOFLAGS=-trimpath", "SYFT_CHECK_FOR_APP_UPDATE=false"), "go", "run", syft, "convert", r.file(fmt.Sprintf("fcp-host_%s_%s_%s.spdx.json", releaseVersion, b.goos, b.goarch)), "--output", "cyclonedx-json")
	}
}
