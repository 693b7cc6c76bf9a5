package gate

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/host/files"
)

// Reserved names of principals.
const (
	// Anyone is the principal of every caller of a server without tokens.
	Anyone = "anyone"
	// unnamedPrincipal is the principal of all tokens without a name, so that a new token keeps access to what the old
	// one owned.
	unnamedPrincipal = "user"
)

const minToken = 16 // in characters, too many to guess

// Tokens are the bearer tokens in a file.
type Tokens struct {
	file watched[[]token]
}

type token struct {
	sum  [sha256.Size]byte
	name string
}

// NewTokens reads the file at path. Each line has a token, alone or after the name of its principal and a blank or
// colon; empty lines and lines starting with # are ignored. The file is read again when it changes. Only this user may
// be able to read or write it. While it is invalid, all requests are refused, and log says why.
func NewTokens(path string, log *slog.Logger) (*Tokens, error) {
	t := &Tokens{watched[[]token]{paths: []string{path}, read: func() ([]token, error) { return readTokens(path) },
		failed: func(err error) { log.Error("all requests are refused: the token file cannot be used", "error", err) }}}
	_, err := t.file.get()
	return t, err
}

func readTokens(path string) ([]token, error) {
	data, err := readFile(path, files.CheckPrivate)
	if err != nil {
		return nil, err
	}
	tokens, err := parseTokens(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return tokens, nil
}

// Valid tokens (RFC 6750) and names of principals.
var (
	tokenText = regexp.MustCompile(`^[A-Za-z0-9._~+/-]+=*$`)
	nameText  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
)

// parseTokens parses a token file. Errors do not repeat its lines.
func parseTokens(data []byte) ([]token, error) {
	var out []token
	lines := bufio.NewScanner(bytes.NewReader(data))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		name, text := unnamedPrincipal, line
		if i := strings.IndexAny(line, ": \t"); i >= 0 {
			name, text = line[:i], strings.TrimSpace(line[i+1:])
		}
		switch {
		case !nameText.MatchString(name):
			return nil, fmt.Errorf("line %d: a principal's name consists of letters, digits, dots, hyphens and underscores, at most 64", n)
		case name == Anyone:
			return nil, fmt.Errorf("line %d: %s is the name of callers without a token", n, Anyone)
		case !tokenText.MatchString(text):
			return nil, fmt.Errorf("line %d: a token consists of letters, digits and -._~+/, with = at its end", n)
		case len(text) < minToken:
			return nil, fmt.Errorf("line %d: a token has at least %d characters; openssl rand -hex 32 prints one", n, minToken)
		}
		t := token{sha256.Sum256([]byte(text)), name}
		if i := slices.IndexFunc(out, func(o token) bool { return o.sum == t.sum }); i >= 0 && out[i].name != name {
			return nil, fmt.Errorf("line %d: another principal has the same token", n)
		}
		out = append(out, t)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, errors.New("it has no token")
	}
	return out, nil
}

// principal returns the principal of a token. The time it takes does not depend on the tokens. While the file cannot be
// read, all requests are refused.
func (t *Tokens) principal(text string) (name string, ok bool) {
	tokens, err := t.file.get()
	sum := sha256.Sum256([]byte(text))
	for _, own := range tokens {
		if subtle.ConstantTimeCompare(own.sum[:], sum[:]) == 1 {
			name, ok = own.name, true
		}
	}
	if err != nil {
		return "", false
	}
	return name, ok
}

// knows reports whether the principal has a token.
func (t *Tokens) knows(name string) bool {
	tokens, err := t.file.get()
	return err == nil && slices.ContainsFunc(tokens, func(own token) bool { return own.name == name })
}

// err returns why all requests are refused, or nil.
func (t *Tokens) err() error {
	_, err := t.file.get()
	return err
}
