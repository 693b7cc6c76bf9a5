package session

import (
	"context"
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
)

// Card is the reference card of a domain: generated from its manifest alone,
// so it is the same text in every run. prefix is the tools' prefix.
func Card(m *abi.Manifest, prefix string) string {
	var b strings.Builder
	edit := prefix
	if prefix == "fcp" {
		edit = "fcp_edit"
	}
	fmt.Fprintf(&b, "# %s reference card\n\n", m.Title)
	fmt.Fprintf(&b, "Each op: VERB words… [key:value…] [@selector…]. Text with spaces goes in double quotes. Ops of one call run in order, all or none.\n")

	fmt.Fprintf(&b, "\n## Ops (tool %s)\n", edit)
	category := ""
	for _, v := range m.Verbs {
		if v.Hidden {
			continue
		}
		if v.Category != category {
			category = v.Category
			if category != "" {
				fmt.Fprintf(&b, "%s:\n", category)
			}
		}
		fmt.Fprintf(&b, "  %s", v.Syntax)
		if v.Summary != "" {
			fmt.Fprintf(&b, " · %s", v.Summary)
		}
		b.WriteByte('\n')
		if v.Block != "" {
			fmt.Fprintf(&b, "    then raw lines, up to a line: %s\n", v.Block)
		}
	}
	writeSections(&b, m.Vocabulary)

	b.WriteString("\n## Selectors (several intersect; @not:… negates)\n")
	b.WriteString("  @all · everything\n  @recent[:N] · the last N elements touched (1)\n")
	for _, s := range m.Selectors {
		fmt.Fprintf(&b, "  %s · %s\n", s.Syntax, s.Summary)
	}

	fmt.Fprintf(&b, "\n## Queries (tool %s_query)\n", prefix)
	for _, q := range m.Queries {
		fmt.Fprintf(&b, "  %s · %s\n", q.Syntax, q.Summary)
	}
	for _, q := range HostQueries() {
		fmt.Fprintf(&b, "  %s · %s\n", q.Syntax, q.Summary)
	}

	fmt.Fprintf(&b, "\n## Session (tool %s_session)\n", prefix)
	for _, a := range Actions() {
		syntax := a.Syntax
		if a.Name == "new" {
			syntax = `new "Title"`
			if prefix == "fcp" {
				syntax = `new ` + m.Domain + ` "Title"`
			}
			for _, p := range m.NewParams {
				syntax += fmt.Sprintf(" [%s:%s]", p.Key, p.Value)
			}
		}
		if a.Name == "export" {
			if len(m.Exports) == 0 {
				continue
			}
			var names []string
			for _, f := range m.Exports {
				names = append(names, f.Name)
			}
			syntax = "export " + strings.Join(names, "|") + " as:PATH"
		}
		fmt.Fprintf(&b, "  %s · %s\n", syntax, a.Summary)
	}
	for _, v := range m.Session {
		fmt.Fprintf(&b, "  %s · %s\n", v.Syntax, v.Summary)
	}

	b.WriteString("\n## Replies\n")
	b.WriteString("  + created  ~ connection changed  * property or state changed  - deleted  @ bulk or layout  ? warning  ! error\n")
	b.WriteString("  \"try:\" lines are ops or actions that work as printed. The last line, in brackets, is the digest of the document.\n")
	if len(m.Conventions) > 0 {
		b.WriteString("\n## Conventions\n")
		for _, c := range m.Conventions {
			fmt.Fprintf(&b, "  %s\n", c)
		}
	}
	if len(m.Example) > 0 {
		b.WriteString("\n## Example\n")
		for _, e := range m.Example {
			fmt.Fprintf(&b, "  %s\n", strings.ReplaceAll(e, "\n", "\n  "))
		}
	}
	return b.String()
}

func writeSections(b *strings.Builder, sections []abi.Section) {
	for _, s := range sections {
		fmt.Fprintf(b, "\n## %s\n", s.Title)
		for _, l := range s.Lines {
			fmt.Fprintf(b, "  %s\n", l)
		}
	}
}

// Help is the tool D_help: the card, and what the current document adds to it.
// It needs no document. Unified, which names a domain, or is "".
func (s *Session) Help(ctx context.Context, dom, which string) *reply.Reply {
	doc := s.Current(dom)
	var d *domain.Domain
	switch {
	case dom != "":
		d = s.domain(dom)
	case which != "":
		if d = s.domain(which); d == nil {
			return reply.Errorf(nil, "no domain %.64q; there are %s", which, strings.Join(s.names(), ", "))
		}
		doc = s.Current(which)
	case doc != nil:
		d = doc.Domain
	case len(s.domains) == 1:
		d = s.domains[0]
	}
	if d == nil {
		return &reply.Reply{Text: s.overview()}
	}
	var b strings.Builder
	b.WriteString(Card(d.Manifest, tool(dom)))
	if doc != nil {
		if sections := doc.Help(ctx); len(sections) > 0 {
			fmt.Fprintf(&b, "\n# In %q\n", doc.Name)
			writeSections(&b, sections)
		}
	}
	return &reply.Reply{Text: b.String()}
}

func (s *Session) names() []string {
	var names []string
	for _, d := range s.domains {
		names = append(names, d.Name())
	}
	return names
}

// overview is the unified help before any document is open.
func (s *Session) overview() string {
	var b strings.Builder
	b.WriteString("# Domains\n")
	for _, d := range s.domains {
		m := d.Manifest
		fmt.Fprintf(&b, "  %s (%s): %s\n", m.Domain, strings.Join(m.Extensions, " "), m.Summary)
	}
	b.WriteString("\nfcp_session `new DOMAIN \"Title\"` or `open PATH` starts a document; fcp_help then gives its domain's whole card.\n")
	return b.String()
}
