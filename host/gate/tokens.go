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
)

// Principals that no token may be named after.
const (
	// Anyone is every caller of a server without tokens.
	Anyone = "anyone"
	// unnamed is the principal of tokens without a name. There is one for all of
	// them, so that a new token keeps what the old one owned.
	unnamed = "user"
)

const minToken = 16 // characters: nobody guesses that many

// Tokens are the bearer tokens of a file.
type Tokens struct {
	file watched[[]token]
}

type token struct {
	sum  [sha256.Size]byte
	name string
}

// NewTokens reads the file at path. It holds a token a line, alone or behind the
// name of its principal and a blank or a colon; blank lines and those that
// start with # are comments. The file is read again when it changes. Nobody but
// this user may be able to read or write it; while that or anything else is
// wrong with it, nobody is let in, and log says why.
func NewTokens(path string, log *slog.Logger) (*Tokens, error) {
	t := &Tokens{watched[[]token]{paths: []string{path}, read: func() ([]token, error) { return readTokens(path) },
		failed: func(err error) { log.Error("nobody is let in: the token file cannot be used", "error", err) }}}
	_, err := t.file.get()
	return t, err
}

func readTokens(path string) ([]token, error) {
	data, err := readFile(path, checkPrivate)
	if err != nil {
		return nil, err
	}
	tokens, err := parseTokens(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return tokens, nil
}

// What a token may consist of (RFC 6750), and a principal's name.
var (
	tokenText = regexp.MustCompile(`^[A-Za-z0-9._~+/-]+=*$`)
	nameText  = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
)

// parseTokens reads the lines of a token file. Errors do not repeat them.
func parseTokens(data []byte) ([]token, error) {
	var out []token
	lines := bufio.NewScanner(bytes.NewReader(data))
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		name, text := unnamed, line
		if i := strings.IndexAny(line, ": \t"); i >= 0 {
			name, text = line[:i], strings.TrimSpace(line[i+1:])
		}
		switch {
		case !nameText.MatchString(name):
			return nil, fmt.Errorf("line %d: a principal's name is of letters, digits, dots, hyphens and underscores, at most 64", n)
		case name == Anyone:
			return nil, fmt.Errorf("line %d: %s is the name of callers without a token", n, Anyone)
		case !tokenText.MatchString(text):
			return nil, fmt.Errorf("line %d: a token is of letters, digits and -._~+/, with = at its end", n)
		case len(text) < minToken:
			return nil, fmt.Errorf("line %d: a token has at least %d characters; openssl rand -hex 32 prints one", n, minToken)
		}
		t := token{sha256.Sum256([]byte(text)), name}
		if i := slices.IndexFunc(out, func(o token) bool { return o.sum == t.sum }); i >= 0 && out[i].name != name {
			return nil, fmt.Errorf("line %d: this token is that of another principal, too", n)
		}
		out = append(out, t)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, errors.New("there is no token in it")
	}
	return out, nil
}

// principal is whose token text is. How long it takes tells nothing of what the
// tokens are. A file that cannot be read lets nobody in.
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

// err is why nobody is let in, nil when they are.
func (t *Tokens) err() error {
	_, err := t.file.get()
	return err
}
