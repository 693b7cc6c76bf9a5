package scene

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// secrets are what keys look like, whatever the workspace.
var secrets = regexp.MustCompile(strings.Join([]string{
	`\bsk-[A-Za-z0-9_-]{16,}`,
	`\bgh[pousr]_[A-Za-z0-9]{20,}`,
	`\bgithub_pat_[A-Za-z0-9_]{20,}`,
	`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`,
	`\bxox[abprs]-[A-Za-z0-9-]{10,}`,
	`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|\z)`,
}, "|"))

// beginnings are what each of them holds: most texts have none of these, which is found much sooner.
var beginnings = []string{"sk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "AKIA", "ASIA", "xox", "-----BEGIN "}

// Masked stands where a secret was.
const Masked = "[masked]"

// Mask takes secrets out of texts. The zero value knows what keys commonly look like.
type Mask struct {
	own    []*regexp.Regexp
	hidden int
}

// NewMask is a mask for patterns of the workspace's own, too. Those that are no
// regular expressions, or match the empty text, are left out and named.
func NewMask(patterns []string) (m Mask, wrong []string) {
	for _, p := range patterns {
		re, err := regexp.Compile(p)
		switch {
		case err != nil:
			wrong = append(wrong, fmt.Sprintf("the secret pattern %q is no regular expression: %v", p, err))
		case re.MatchString(""):
			wrong = append(wrong, fmt.Sprintf("the secret pattern %q matches everything", p))
		default:
			m.own = append(m.own, re)
		}
	}
	return m, wrong
}

// Hide puts Masked where secrets are.
func (m *Mask) Hide(s string) string {
	hide := func(string) string { m.hidden++; return Masked }
	if slices.ContainsFunc(beginnings, func(b string) bool { return strings.Contains(s, b) }) {
		s = secrets.ReplaceAllStringFunc(s, hide)
	}
	for _, re := range m.own {
		s = re.ReplaceAllStringFunc(s, hide)
	}
	return s
}
