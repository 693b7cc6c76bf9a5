package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/domain"
)

// Command parses a session action with grammar.ParseAction, and names its parts by the syntax that package domain
// lists for it.
func Command(c *Case) (any, error) {
	var text string
	if err := json.Unmarshal(c.Input, &text); err != nil {
		return nil, unreadable{fmt.Errorf("the input is not a string: %w", err)}
	}
	op, err := grammar.ParseAction(text)
	if err != nil {
		return nil, err
	}
	var action *domain.Word
	for _, a := range domain.Actions(domain.Always) {
		if a.Name == op.Verb {
			action = &a
		}
	}
	if action == nil {
		return nil, fmt.Errorf("unknown action %q", op.Verb)
	}
	args, err := arguments(action, &op)
	if err != nil {
		return nil, err
	}
	out, err := facts(op)
	if err != nil {
		return nil, err
	}
	out["command"], out["args"] = op.Verb, args
	return out, nil
}

// word matches the name of a positional in an action's syntax: PATH, NAME, "Title".
var word = regexp.MustCompile(`(^|[ \[|])("?)(PATH|NAME|Title|N)\b`)

// arguments names the positionals of an action.
func arguments(a *domain.Word, op *grammar.Op) (map[string]any, error) {
	args := map[string]any{}
	first, quoted := "", false
	if len(op.Positionals) > 0 {
		first, quoted = op.Positionals[0].Text, op.Positionals[0].Quoted
	}
	// as: and the like have their own words; "save [as:PATH]" also takes a bare path.
	name := ""
	if m := word.FindStringSubmatch(strings.TrimPrefix(a.Syntax, a.Name)); m != nil {
		name = strings.ToLower(m[3])
	} else if a.Name == "save" {
		name = "path"
	}
	required := regexp.MustCompile(`^` + a.Name + ` (PATH|NAME)`).MatchString(a.Syntax)
	switch {
	case required && first == "":
		return nil, fmt.Errorf("%s needs a %s", a.Name, name)
	case name == "n":
		return countArguments(op, first)
	case name != "" && len(op.Positionals) > 0 && (quoted || first != "force"):
		args[name] = first
	}
	return args, nil
}

// countArguments parses the arguments of undo and redo.
func countArguments(op *grammar.Op, first string) (map[string]any, error) {
	if to, ok := op.Param("to"); ok || first == "to:" {
		if to == "" {
			return nil, errors.New("to: needs the name of a checkpoint")
		}
		return map[string]any{"target": to}, nil
	}
	if first == "" {
		return map[string]any{"count": 1}, nil
	}
	if first == "batch" && op.Verb == "undo" {
		return map[string]any{}, nil
	}
	n, err := strconv.Atoi(first)
	if err != nil || n < 1 {
		return nil, fmt.Errorf("%s %s: N is a whole number from 1", op.Verb, first)
	}
	return map[string]any{"count": n}, nil
}
