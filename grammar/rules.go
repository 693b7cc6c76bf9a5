package grammar

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
)

// Rules are what one domain adds to the grammar. The zero value adds nothing.
type Rules struct {
	// Positional reports whether a token, seen without its quotes, is positional that would otherwise be a parameter, such
	// as the reference db:Cache. nil claims none.
	Positional func(text string) bool
	// Blocks maps a lower-case verb to the line that ends its block.
	Blocks map[string]string
}

// CompileRules builds rules from what a manifest declares. Patterns are RE2 and are matched against the whole token;
// blocks maps a verb to its END line. The error names the declaration that is wrong.
func CompileRules(patterns []string, blocks map[string]string) (Rules, error) {
	var r Rules
	var claims []*regexp.Regexp
	for _, p := range patterns {
		if p == "" {
			return Rules{}, errors.New("positional pattern: empty")
		}
		// Compile it by itself first: a pattern such as a)|(b is an error, but would compile between the anchors.
		if _, err := regexp.Compile(p); err != nil {
			return Rules{}, fmt.Errorf("positional pattern %q: %w", p, err)
		}
		re, err := regexp.Compile(`\A(?:` + p + `)\z`)
		if err != nil {
			return Rules{}, fmt.Errorf("positional pattern %q: %w", p, err)
		}
		claims = append(claims, re)
	}
	if len(claims) > 0 {
		r.Positional = func(text string) bool {
			return slices.ContainsFunc(claims, func(re *regexp.Regexp) bool { return re.MatchString(text) })
		}
	}
	if len(blocks) > 0 {
		r.Blocks = make(map[string]string, len(blocks))
	}
	for verb, end := range blocks {
		if verb == "" || strings.ContainsAny(verb, separators) {
			return Rules{}, fmt.Errorf("block verb %q: must be one word", verb)
		}
		end = strings.Trim(end, separators)
		if end == "" || strings.ContainsAny(end, "\r\n") {
			return Rules{}, fmt.Errorf("block verb %q: its end must be one line that is not blank", verb)
		}
		r.Blocks[strings.ToLower(verb)] = end
	}
	return r, nil
}

// blockEnd returns the line that ends the block of the op that line starts, if its verb has one.
func (r Rules) blockEnd(line string) (string, bool) {
	if len(r.Blocks) == 0 {
		return "", false
	}
	word := strings.TrimLeft(line, separators)
	if i := strings.IndexAny(word, separators); i >= 0 {
		word = word[:i]
	}
	end, ok := r.Blocks[strings.ToLower(word)]
	return end, ok
}

// Claim makes positionals, after the others, of an op's parameters that Positional claims: a query is parsed before it is known whose it is.
func (r Rules) Claim(op *Op) {
	if r.Positional == nil {
		return
	}
	op.Params = slices.DeleteFunc(slices.Clone(op.Params), func(p abi.KeyValue) bool {
		word := p.Key + ":" + p.Value
		claimed := r.Positional(word)
		if claimed {
			op.Positionals = append(slices.Clip(op.Positionals), abi.Positional{Text: word, Quoted: p.Quoted})
		}
		return claimed
	})
}
