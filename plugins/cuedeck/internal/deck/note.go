package deck

import (
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/card"
)

func noteVerb() verb {
	return verb{Run: note, Verb: abi.Verb{
		Syntax: "note CARD TEXT", Summary: "add a dated note below the heading Notes", Brief: "note CARD \"…\"", Category: "texts",
		Examples: []string{`note "Set up the build" "CI runs on every push now"`},
	}}
}

func note(c *ctx, a pdk.Args) error {
	k, err := c.Model.find(a.Text(0), false)
	if err != nil {
		return err
	}
	is, err := Note(c, k, a.Text(1))
	if err != nil {
		return err
	}
	c.Changed("%s note: %s", is, quoted(pdk.Line(a.Text(1), 60)))
	return nil
}

// Note adds a note to a card.
func Note(c *ctx, k *Card, text string) (*Card, error) {
	if k.Broken != nil {
		return nil, k.unreadable()
	}
	if text = strings.TrimSpace(strings.ToValidUTF8(text, "\ufffd")); text == "" {
		return nil, pdk.Errorf("a note needs a text")
	}
	item := "- " + time.UnixMilli(int64(c.Now())).UTC().Format("2006-01-02") + ": " + strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\n", "\n  ")
	next := ""
	if h, err := c.Model.heading(k.Path, "Notes"); err == nil && h.Text == "Notes" {
		body := strings.TrimRight(k.Text[:h.To], " \t\r\n")
		nl := newline(k.Text)
		breaks := 1
		if strings.TrimSpace(k.Text[min(h.Below, len(body)):len(body)]) == "" {
			breaks = 2
		}
		head, blank := splitAfterBreaks(k.Text[:h.To], len(body), breaks, nl)
		next = head + withNewlines(item, nl) + nl
		if rest := k.Text[h.To:]; rest != "" && blank == "" {
			next += nl
		}
		next += blank + k.Text[h.To:]
	} else {
		next = insert(k.Text, len(k.Text), "## Notes\n\n"+item)
	}
	parsed, err := card.Parse(next)
	if err != nil {
		return nil, pdk.Errorf("%s: %v", k.Path, err)
	}
	return Put(c, k, parsed, "note "+k.ID+" "+quoted(pdk.Line(text, 60)))
}
