package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/grammar"
)

// Native returns the adapters of this repository's packages, for every suite that needs no running server.
func Native() map[string]Adapter {
	return map[string]Adapter{
		"grammar/tokenizer":  Tokenizer,
		"grammar/classifier": Classifier,
		"grammar/parsed-op":  ParsedOp,
		"session/commands":   Command,
		"events/cursor":      EventLog,
		"events/checkpoint":  EventLog,
		"references/cascade": Reference,
		"replies/format":     Format,
	}
}

// Tokenizer runs grammar.Tokenize. It returns a list of texts, or an object if the test expects one.
func Tokenizer(c *Case) (any, error) {
	var text string
	if err := json.Unmarshal(c.Input, &text); err != nil {
		return nil, unreadable{fmt.Errorf("the input is not a string: %w", err)}
	}
	tokens, err := grammar.Tokenize(text)
	if err != nil {
		return nil, err
	}
	texts, quoted := make([]string, len(tokens)), make([]bool, len(tokens))
	for i, t := range tokens {
		texts[i], quoted[i] = t.Text, t.Quoted
	}
	if strings.HasPrefix(compact(c.Expected), "{") {
		return map[string]any{"tokens": texts, "quoted": quoted}, nil
	}
	return texts, nil
}

func (c *Case) rules() (grammar.Rules, error) {
	if c.Rules == nil {
		return grammar.Rules{}, nil
	}
	rules, err := grammar.CompileRules(c.Rules.Positionals, c.Rules.Blocks)
	if err != nil {
		return rules, unreadable{err}
	}
	return rules, nil
}

// op returns an input that is one op: a string, or a list of its tokens.
func (c *Case) op() (string, error) {
	var text string
	if json.Unmarshal(c.Input, &text) == nil {
		return text, nil
	}
	var tokens []string
	if err := json.Unmarshal(c.Input, &tokens); err != nil {
		return "", unreadable{errors.New("the input is neither a string nor a list of tokens")}
	}
	for i, t := range tokens {
		tokens[i] = quoteToken(t)
	}
	return strings.Join(tokens, " "), nil
}

// quoteToken returns a token as it is written in an op: quoted if it needs quotes. Of a token with a key, only the
// value is quoted.
func quoteToken(token string) string {
	if token != "" && !strings.ContainsAny(token, " \t\r\n\"'") {
		return token
	}
	key, value, ok := strings.Cut(token, ":")
	head := key + ":"
	if rest, negated := strings.CutPrefix(token, "@not:"); negated {
		if key, value, ok = strings.Cut(rest, ":"); ok {
			head = "@not:" + key + ":"
		}
	}
	if ok && key != "" && !strings.ContainsAny(head, " \t\r\n\"'") {
		return head + grammar.Quote(value)
	}
	return grammar.Quote(token)
}

// Classifier returns the class of each token. If the test expects one string, the input is one token that is not a
// verb.
func Classifier(c *Case) (any, error) {
	text, err := c.op()
	if err != nil {
		return nil, err
	}
	var single string
	alone := json.Unmarshal(c.Expected, &single) == nil
	if alone {
		text = "verb " + text
	}
	rules, err := c.rules()
	if err != nil {
		return nil, err
	}
	tokens, err := grammar.Tokenize(text)
	if err != nil {
		return nil, err
	}
	classes := make([]string, 0, len(tokens))
	for i := range tokens {
		if i == 0 {
			classes = append(classes, "verb")
			continue
		}
		// Parse one token at a time, so that each gets its own class.
		op, err := grammar.Parse("verb "+text[tokens[i].Start:tokens[i].End], rules)
		if err != nil {
			return nil, err
		}
		classes = append(classes, class(&op))
	}
	if alone && len(classes) == 2 {
		return aliasOf(single, classes[1]), nil
	}
	return aliasesOf(c.Expected, classes), nil
}

func class(op *grammar.Op) string {
	switch {
	case len(op.Params) > 0:
		return "param"
	case len(op.Selectors) > 0:
		return "selector"
	case len(op.Arrows) > 0:
		return "arrow"
	}
	return "positional"
}

// aliasOf returns the test's name for the class if that is a synonym of it, else class itself.
func aliasOf(want, class string) string {
	if class == "param" && slices.Contains([]string{"parameter", "key:value", "key_value", "key-value", "keyvalue", "kv"}, strings.ToLower(want)) {
		return want
	}
	return class
}

func aliasesOf(expected json.RawMessage, classes []string) []string {
	var want []string
	if json.Unmarshal(expected, &want) != nil || len(want) != len(classes) {
		return classes
	}
	for i := range classes {
		classes[i] = aliasOf(want[i], classes[i])
	}
	return classes
}

// ParsedOp runs grammar.Parse, or grammar.ParseAll if the test expects a list. The parsed op must print as an op that
// parses to the same.
func ParsedOp(c *Case) (any, error) {
	rules, err := c.rules()
	if err != nil {
		return nil, err
	}
	var ops []string
	if strings.HasPrefix(compact(c.Expected), "[") && json.Unmarshal(c.Input, &ops) == nil {
		var all []any
		for _, item := range grammar.ParseAll(ops, rules) {
			if item.Err != nil {
				all = append(all, map[string]any{"error": true, "message": item.Err.Error(), "raw": item.Err.Raw})
				continue
			}
			op, err := parsedOp(item.Op, rules)
			if err != nil {
				return nil, err
			}
			all = append(all, op)
		}
		return all, nil
	}
	text, err := c.op()
	if err != nil {
		return nil, err
	}
	op, err := grammar.Parse(text, rules)
	if err != nil {
		return nil, err
	}
	return parsedOp(op, rules)
}

func parsedOp(op grammar.Op, rules grammar.Rules) (map[string]any, error) {
	again, err := grammar.Parse(grammar.Format(op, rules), rules)
	if err != nil {
		return nil, fmt.Errorf("it prints as %q, which does not parse: %w", grammar.Format(op, rules), err)
	}
	first, err := facts(op)
	if err != nil {
		return nil, err
	}
	second, err := facts(again)
	if err != nil {
		return nil, err
	}
	if where := mismatch(clone(first, "raw", "warnings", "warning_count", "selectors"), second); where != "" {
		return nil, fmt.Errorf("it prints as %q, which parses differently: %s", grammar.Format(op, rules), where)
	}
	return first, nil
}

// facts returns a parsed op in the fixtures' format, as encoding/json decodes it.
func facts(op grammar.Op) (map[string]any, error) {
	texts, quoted := make([]string, len(op.Positionals)), []int{}
	for i, p := range op.Positionals {
		if texts[i] = p.Text; p.Quoted {
			quoted = append(quoted, i)
		}
	}
	order, params := make([]string, len(op.Params)), map[string]string{}
	for i, p := range op.Params {
		order[i], params[p.Key] = p.Key, p.Value
	}
	selectors := make([]any, len(op.Selectors))
	for i, s := range op.Selectors {
		selectors[i] = map[string]any{"raw": s.Raw, "type": s.Type, "value": s.Value, "negated": s.Negated}
	}
	m := map[string]any{
		"verb": op.Verb, "positionals": texts, "params": params, "param_order": order, "selectors": selectors,
		"arrows": append([]int{}, op.Arrows...), "quoted": quoted, "raw": op.Raw,
		"warnings": append([]string{}, op.Warnings...), "warning_count": len(op.Warnings),
	}
	if op.Block != nil {
		m["block"] = op.Block
	}
	v, err := generic(m)
	if err != nil {
		return nil, err
	}
	return v.(map[string]any), nil
}
