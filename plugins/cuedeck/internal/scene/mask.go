package scene

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
)

// secrets matches well-known forms of keys.
var secrets = pdk.Regexp(strings.Join([]string{
	`\bsk-[A-Za-z0-9_-]{16,}`,
	`\b[srp]k_(?:live|test)_[A-Za-z0-9]{10,}`,
	`\bgh[pousr]_[A-Za-z0-9]{20,}`,
	`\bgithub_pat_[A-Za-z0-9_]{20,}`,
	`\bglpat-[A-Za-z0-9_.-]{16,}`,
	`\b(?:AKIA|ASIA)[0-9A-Z]{16}\b`,
	`\bAIza[A-Za-z0-9_-]{35}`,
	`\bxox[abprs]-[A-Za-z0-9-]{10,}`,
	`\beyJ[A-Za-z0-9_-]{5,}\.eyJ[A-Za-z0-9_-]{2,}\.[A-Za-z0-9_-]{8,}`,
	`\bnpm_[A-Za-z0-9]{36}`,
	`\bhf_[A-Za-z0-9]{20,}`,
	`\bSG\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`,
	`\bdckr_pat_[A-Za-z0-9_-]{16,}`,
	`\bpypi-[A-Za-z0-9]*[A-Z0-9][A-Za-z0-9_-]{12,}`,
	`\bshp(?:at|ca|pa|ss)_[A-Za-z0-9]{8,}`,
	`\bdo[opr]_v1_[A-Za-z0-9]{8,}`,
	`\bya29\.[A-Za-z0-9_-]{8,}`,
}, "|"))

// secretPrefixes are the prefixes of these keys. Most texts have none of them, and searching for them is much faster.
var secretPrefixes = []string{"sk-", "k_live_", "k_test_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "AKIA", "ASIA", "AIza", "xox", "eyJ", "npm_", "hf_", "SG.", "dckr_pat_", "pypi-", "shp", "_v1_", "ya29."}

// The lines around a private key.
var (
	keyBegins = pdk.Regexp(`-----BEGIN [A-Z ]*PRIVATE KEY-----`)
	keyEnds   = pdk.Regexp(`-----END [A-Z ]*PRIVATE KEY-----`)
	blockEnds = pdk.Regexp(`\n[ \t]*\r?\n|\n#{1,6} `)
)

// Masked replaces a secret.
const Masked = "[masked]"

// Mask hides secrets in texts. The zero value knows the common forms of keys.
type Mask struct {
	own    []*regexp.Regexp
	hidden int
	open   int // private keys without an end line
}

// Wrong is an invalid pattern and the reason.
type Wrong struct{ Pattern, Why string }

// NewMask returns a mask with additional patterns of the workspace. It leaves out and returns those that are invalid or match the
// empty text.
func NewMask(patterns []string) (m Mask, wrong []Wrong) {
	for _, p := range patterns {
		re, err := regexp.Compile(p)
		var fault *syntax.Error
		switch {
		case errors.As(err, &fault):
			wrong = append(wrong, Wrong{p, "is not a regular expression (" + fault.Code.String() + ")"})
		case re.MatchString(""):
			wrong = append(wrong, Wrong{p, "matches the empty text"})
		default:
			m.own = append(m.own, re)
		}
	}
	return m, wrong
}

// Hide replaces secrets by Masked.
func (m *Mask) Hide(s string) string {
	hide := func(string) string { m.hidden++; return Masked }
	if strings.Contains(s, "-----BEGIN ") {
		s = m.maskKeys(s)
	}
	if containsAny(s, secretPrefixes) {
		s = secrets().ReplaceAllStringFunc(s, hide)
	}
	if labelled(s) {
		s = m.maskLabelled(s)
	}
	for _, re := range m.own {
		s = re.ReplaceAllStringFunc(s, hide)
	}
	return s
}

func containsAny(s string, some []string) bool {
	return slices.ContainsFunc(some, func(b string) bool { return strings.Contains(s, b) })
}

// maskKeys masks private keys. A key without an end line is masked up to the end of its paragraph.
func (m *Mask) maskKeys(s string) string {
	var out strings.Builder
	begins, ends := keyBegins().FindAllStringIndex(s, -1), keyEnds().FindAllStringIndex(s, -1)
	at := 0
	for i, b := range begins {
		next := len(s)
		if i+1 < len(begins) {
			next = begins[i+1][0]
		}
		for len(ends) > 0 && ends[0][0] < b[1] {
			ends = ends[1:]
		}
		to := next
		if len(ends) > 0 && ends[0][0] < next {
			to = ends[0][1]
		} else {
			m.open++
			if block := blockEnds().FindStringIndex(s[b[1]:next]); block != nil {
				to = b[1] + block[0]
			}
		}
		m.hidden++
		out.WriteString(s[at:b[0]] + Masked)
		at = to
	}
	return out.String() + s[at:]
}
