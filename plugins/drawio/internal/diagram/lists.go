package diagram

import (
	"regexp"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/pdk"
)

// quotedList is a parameter whose items are quoted one by one, lanes:"Front office","Risk", of which a token takes the
// first alone.
var quotedList = regexp.MustCompile(`(?:^|\s)(around|lanes|cols|fields|methods|rows|as):((?:"[^"]*"|[^\s",;]+)(?:\s*[,;]\s*(?:"[^"]*"|[^\s",;:]+))*\s*[,;]\s*"[^"]*"(?:\s*[,;]\s*(?:"[^"]*"|[^\s",;:]+))*)`)

// listItem is one item of such a list.
var listItem = regexp.MustCompile(`"[^"]*"|[^\s",;]+`)

// relisted reads lists whose items are quoted one by one as one text.
func relisted(a pdk.Args) pdk.Args {
	if !strings.Contains(a.Raw, `,"`) && !strings.Contains(a.Raw, `, "`) && !strings.Contains(a.Raw, `;"`) && !strings.Contains(a.Raw, `; "`) {
		return a
	}
	op := *a.Op
	for _, m := range quotedList.FindAllStringSubmatch(a.Raw, -1) {
		tokens, err := grammar.Tokenize(m[1] + ":" + m[2])
		if err != nil {
			continue
		}
		var words []string // the rest of the list, which became words of the op
		for _, t := range tokens[1:] {
			words = append(words, t.Text)
		}
		at := -1
		for i := range op.Positionals {
			if rest := op.Positionals[i:]; len(rest) >= len(words) && slices.EqualFunc(rest[:len(words)], words, func(p abi.Positional, w string) bool { return p.Text == w }) {
				at = i
			}
		}
		k := slices.IndexFunc(op.Params, func(kv abi.KeyValue) bool { return kv.Key == m[1] })
		if at < 0 && len(words) > 0 || k < 0 {
			continue
		}
		if len(words) > 0 {
			op.Positionals = slices.Delete(slices.Clone(op.Positionals), at, at+len(words))
		}
		between := ","
		if slices.Contains([]string{"fields", "methods", "rows"}, m[1]) {
			between = ";"
		}
		var texts []string
		for _, t := range listItem.FindAllString(m[2], -1) {
			texts = append(texts, strings.Trim(t, `"`))
		}
		op.Params = slices.Clone(op.Params)
		op.Params[k] = abi.KeyValue{Key: m[1], Value: strings.Join(texts, between), Quoted: true}
	}
	return pdk.Args{Op: &op}
}
