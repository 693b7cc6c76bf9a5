package tools

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
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
	if broken := unreadable(w.Cards()); broken > 0 {
		c.Warn("dependencies not checked: %s that cannot be read; cuedeck_query doctor says why", pdk.Count(broken, "card"))
	}
	missing := w.Missing()
	var way []string
	if a.ID != "" {
		way = cycleBehind(w, []string{a.ID})
		missing = slices.DeleteFunc(missing, func(m [2]string) bool { return m[0] != a.ID })
	} else if all := w.Cycles(); len(all) > 0 {
		way = all[0]
		if len(all) > 1 {
			c.Warn("there are %d cycles; this is one of them", len(all))
		}
	}
	switch {
	case way != nil:
		fail("Circular dependency detected: %s", strings.Join(way, " → "))
	case len(missing) > 0:
		fail("Dependency not found: %s → %s", missing[0][0], missing[0][1])
	}
	return out, nil
}
