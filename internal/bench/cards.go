package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/internal/ends"
)

// cards measures the typed tools of cuedeck on a workspace with 500 documents and 500 task cards, which it creates. The
// limits are those of the tools' contract.
func cards(b *bench) {
	bin := ends.Unless(filepath.Abs(b.bin))
	dir := ends.Unless(os.MkdirTemp("", "fcp-bench-cards-*"))
	defer os.RemoveAll(dir)
	ids := workspace(dir)
	begin := func() *server {
		cmd := exec.Command(filepath.Join(bin, "fcp-host"), "--config", "off", "--plugin", filepath.Join(bin, "plugins", "cuedeck.wasm"), "--cache", b.cache,
			"--journal-dir", filepath.Join(filepath.Dir(b.cache), "journal-cards"), "--grant", "cuedeck=folder", "--tools", "cuedeck", "--no-rate-limits")
		cmd.Dir = dir
		return b.begin(cmd)
	}
	s := begin() // compiles the module
	s.tool("validate_task_graph", map[string]any{})
	s.stop()
	s = begin()
	defer s.stop()
	at := time.Now()
	s.tool("validate_task_graph", map[string]any{})
	b.time("first call on 500 docs and 500 cards (worker starts, folder is read)", []cost{{wall: time.Since(at)}}, "–")
	took := s.tool("read_context", map[string]any{"query": "token cache"})
	b.time("first read_context (the index is made)", []cost{took}, "–")
	for _, row := range toolRows(ids) {
		took := sample(15, func(i int) cost {
			if strings.HasSuffix(row.what, "behind an update") {
				s.tool("update_task", map[string]any{"id": ids[i], "updates": map[string]any{"notes": "looked at it"}})
			}
			return s.tool(row.tool, row.args(i))
		})
		b.time(row.what+", 500 docs and 500 cards", took, row.limit)
	}
	b.add("resident memory then", mb(s.resident()), "–")
}

// toolRow is a measured call of a typed tool; args are those of the i-th sample.
type toolRow struct {
	what, tool, limit string
	args              func(i int) map[string]any
}

// toolRows lists the calls that are measured, on cards with these ids.
func toolRows(ids []string) []toolRow {
	words := []string{"authentication", "login flow", "concurrent programming", "cache tokens of the deck", "validte graph"}
	return []toolRow{
		{"read_context, hybrid", "read_context", "100 ms", func(i int) map[string]any { return map[string]any{"query": words[i%len(words)], "limit": 10} }},
		{"read_context, keyword", "read_context", "100 ms", func(i int) map[string]any {
			return map[string]any{"query": words[i%len(words)], "mode": "keyword"}
		}},
		{"read_doc", "read_doc", "50 ms", func(i int) map[string]any {
			return map[string]any{"path": fmt.Sprintf("docs/part%d/doc%d.md", i%10, i)}
		}},
		{"read_doc, a section", "read_doc", "50 ms", func(i int) map[string]any {
			return map[string]any{"path": fmt.Sprintf("docs/part%d/doc%d.md", i%10, i), "anchor": "Section 3"}
		}},
		{"list_tasks, all", "list_tasks", "20 ms", func(int) map[string]any { return map[string]any{} }},
		{"list_tasks, of a status", "list_tasks", "20 ms", func(int) map[string]any { return map[string]any{"status": "active"} }},
		{"validate_task_graph", "validate_task_graph", "26 ms", func(int) map[string]any { return map[string]any{} }},
		{"update_task", "update_task", "30 ms", func(i int) map[string]any {
			return map[string]any{"id": ids[i], "updates": map[string]any{"assignee": fmt.Sprintf("@dev%d", i)}}
		}},
		{"create_task", "create_task", "30 ms", func(i int) map[string]any {
			return map[string]any{"title": fmt.Sprintf("New card %d", i), "depends_on": []string{ids[i]}}
		}},
		{"read_context behind an update", "read_context", "100 ms", func(i int) map[string]any { return map[string]any{"query": words[i%len(words)]} }},
	}
}

// tool calls a typed tool and returns its cost.
func (s *server) tool(name string, args map[string]any) cost {
	used, at := s.cpuTime(), time.Now()
	s.run(name, args)
	return cost{time.Since(at), s.cpuTime() - used}
}

// workspace writes 500 documents of about 4 KB and 500 task cards of about 600 bytes that depend on each other, and
// returns the cards' ids.
func workspace(dir string) (ids []string) {
	r := rand.New(rand.NewPCG(1, 2))
	vocabulary := strings.Fields("authentication login flow token cache card graph cycle search index file hash deck context scene limit section anchor header parse write read update validate task concurrent programming thread lock queue server client request response error code table column query result")
	sentence := func(n int) string {
		var w []string
		for range n {
			w = append(w, fmt.Sprint(vocabulary[r.IntN(len(vocabulary))], []string{"", "", "", "s", fmt.Sprint(r.IntN(300))}[r.IntN(5)]))
		}
		return strings.Join(w, " ") + ".\n"
	}
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		ends.If(os.MkdirAll(filepath.Dir(path), 0o777))
		ends.If(os.WriteFile(path, []byte(text), 0o666))
	}
	const digits = "abcdefghijklmnopqrstuvwxyz0123456789"
	for i := range 500 {
		text := fmt.Sprintf("# Document %d\n\n", i)
		for n := range 6 {
			text += fmt.Sprintf("## Section %d\n\n", n+1)
			for range 8 {
				text += sentence(10)
			}
			text += "\n"
		}
		write(fmt.Sprintf("docs/part%d/doc%d.md", i%10, i), text)
		id := fmt.Sprintf("card%c%c", digits[i/36], digits[i%36])
		depends := ""
		for range min(i, 2) {
			depends += "  - " + ids[r.IntN(i)] + "\n"
		}
		if depends != "" {
			depends = "depends_on:\n" + depends
		}
		write(".cuedeck/cards/"+id+".md", fmt.Sprintf("---\ntitle: %q\nstatus: %s\npriority: %s\nassignee: \"@dev%d\"\ntags: [part%d, all]\n%screated: 2026-01-%02dT10:00:00Z\n---\n\n# Card %d\n\n%s",
			fmt.Sprint("Card ", i), []string{"todo", "active", "done"}[i%3], []string{"low", "medium", "high"}[i%3], i%7, i%10, depends, 1+i%28, i, sentence(60)))
		ids = append(ids, id)
	}
	return ids
}
