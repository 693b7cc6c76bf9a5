package tools

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/cuedeck/internal/deck"
)

type validateArgs struct{ ID string }

type validity struct {
	Valid   bool   `json:"valid"`
	ID      string `json:"task_id,omitempty"`
	Message string `json:"message,omitempty"`
	Error   string `json:"error,omitempty"`
}

func validate(c *ctx, a validateArgs) (any, error) {
	w := c.Model
	if a.ID != "" {
		if _, err := task(c, a.ID, ""); err != nil {
			return nil, err
		}
	}
	out := validity{Valid: true, ID: a.ID, Message: "All task dependencies are valid (no circular dependencies)"}
	if a.ID != "" {
		out.Message = "Task dependencies are valid"
	}
	fail := func(format string, args ...any) {
		out.Valid, out.Message, out.Error = false, "", fmt.Sprintf(format, args...)
	}
	missing, unread := w.Missing(), w.Unreadable()
	var way []string
	if a.ID != "" {
		unread = w.Unreadable(a.ID)
		way = cycleBehind(w, []string{a.ID})
		missing = slices.DeleteFunc(missing, func(m [2]string) bool { return m[0] != a.ID })
	} else if all := w.Cycles(); len(all) > 0 {
		way = all[0]
		if len(all) > 1 {
			c.Warn("there are %d cycles; this is one of them", len(all))
		}
	}
	if len(unread) > 0 {
		c.Warn("dependencies not checked: %s that cannot be read; cuedeck_query doctor says why", pdk.Count(len(unread), "card"))
	}
	switch {
	case way != nil:
		fail("Circular dependency detected: %s", strings.Join(way, " → "))
	case len(missing) > 0:
		fail("Dependency not found: %s → %s", missing[0][0], missing[0][1])
	case len(unread) > 0:
		fail("Cannot be read, so their dependencies are unknown: %s", strings.Join(paths(unread), ", "))
	}
	return out, nil
}

// paths lists where cards are.
func paths(cards []*deck.Card) (out []string) {
	for _, k := range cards {
		out = append(out, k.Path)
	}
	return out
}
