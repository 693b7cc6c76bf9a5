package reply

import (
	"fmt"
	"strings"
)

// In the reply to more than joinAbove ops, lines that differ only in names and places are joined: the first is shown, the others are counted
// and named, with joinRoom characters for all names.
const (
	joinAbove = 12
	joinRoom  = 900
)

// join joins lines of the same form. Errors, warnings, and lines with something below them are not joined.
func join(results []Result) []Result {
	ops := 0
	for i := range results {
		ops = max(ops, results[i].Op)
	}
	if ops <= joinAbove || len(results) <= joinAbove {
		return results
	}
	known := forms{}
	for i := range results {
		if joinable(&results[i]) {
			known.add(whole(&results[i]))
		}
	}
	type group struct {
		lead  string
		names []string
	}
	groups := map[string]*group{}
	keys := make([]string, len(results)) // of those that are joined to one before; the first of a form has none
	for i := range results {
		if !joinable(&results[i]) {
			continue
		}
		form, lead, name := known.of(whole(&results[i]), true)
		lead, name = spaced(lead), strings.TrimSuffix(spaced(name), ":")
		key := string(rune(results[i].Prefix)) + form
		if g := groups[key]; g != nil {
			g.names = append(g.names, name)
			keys[i] = key
		} else {
			groups[key] = &group{lead: lead}
		}
	}
	var out []Result
	printed := map[string]bool{}
	room := joinRoom
	for i := range results {
		key := keys[i]
		g := groups[key]
		switch {
		case g == nil || len(g.names) == 1:
			out = append(out, results[i])
		case !printed[key]:
			printed[key] = true
			line := Result{Op: results[i].Op, Prefix: results[i].Prefix, Text: strings.TrimSpace(fmt.Sprintf("%d more %s", len(g.names), g.lead))}
			names, left := list(g.names, max(0, room-len(line.Text)))
			if names != "" {
				line.Text += ": " + names
				if left > 0 {
					line.Text += fmt.Sprintf(", and %d more", left)
				}
			}
			room -= len(line.Text)
			out = append(out, line)
		}
	}
	return out
}

// Blanks within what the op named stand as tied while forms are compared, so that a name of several words is one.
const tied = "\x00"

// whole is a line with the names that its op has as single words.
func whole(r *Result) string {
	text := r.Text
	for _, name := range r.Told {
		if strings.Contains(strings.TrimSpace(name), " ") {
			text = strings.ReplaceAll(text, name, strings.ReplaceAll(name, " ", tied))
		}
	}
	return text
}

func spaced(text string) string { return strings.ReplaceAll(text, tied, " ") }

// joinable reports whether a line may be joined to others.
func joinable(r *Result) bool {
	return r.Op > 0 && r.Prefix != Error && r.Prefix != Warning && len(r.Warnings) == 0 && !strings.Contains(r.Text, "\n")
}
