package clients

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/BurntSushi/toml"
)

// TOML is a TOML file in which each server is a table.
type TOML struct {
	Table string // the table that contains the servers' tables
}

// errHand means that the file is written in a way that Set and Remove cannot change.
var errHand = errors.New("it is written in a way that only a person can change")

func (f TOML) read(content []byte) (all map[string]any, servers map[string]any, err error) {
	if _, err := toml.Decode(strings.TrimPrefix(string(content), bom), &all); err != nil {
		return nil, nil, fmt.Errorf("it is not TOML: %s", strings.TrimPrefix(err.Error(), "toml: "))
	}
	if all == nil {
		all = map[string]any{}
	}
	switch is := all[f.Table].(type) {
	case nil:
		return all, nil, nil
	case map[string]any:
		return all, is, nil
	}
	return nil, nil, fmt.Errorf("its %s is not a table", f.Table)
}

// Get implements Format.
func (f TOML) Get(content []byte, name string) (*Server, error) {
	_, servers, err := f.read(content)
	if err != nil || servers[name] == nil {
		return nil, err
	}
	t, ok := servers[name].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("its %s.%s is not a table", f.Table, name)
	}
	s := &Server{Name: name}
	s.Command, _ = t["command"].(string)
	args, _ := t["args"].([]any)
	for _, a := range args {
		text, _ := a.(string)
		s.Args = append(s.Args, text)
	}
	return s, nil
}

// Set implements Format.
func (f TOML) Set(content []byte, s Server) ([]byte, error) {
	all, servers, err := f.read(content)
	if err != nil {
		return nil, err
	}
	args := make([]any, len(s.Args))
	for i, a := range s.Args {
		args[i] = a
	}
	command, list := "command = "+quote(s.Command), "args = "+quoteList(s.Args)
	line := "\n"
	if bytes.Contains(content, []byte("\r\n")) {
		line = "\r\n"
	}
	if servers[s.Name] == nil {
		// Nothing may be added to an inline table, although our parser accepts that.
		if regexp.MustCompile(`(?m)^[ \t]*["']?` + regexp.QuoteMeta(f.Table) + `["']?[ \t]*=`).Match(content) {
			return nil, errHand
		}
		out := string(content)
		if strings.TrimPrefix(out, bom) != "" && !strings.HasSuffix(out, "\n") {
			out += line
		}
		if strings.Trim(out, bom+" \t\r\n") != "" {
			out += line
		}
		out += "[" + f.Table + "." + key(s.Name) + "]" + line + command + line + list + line
		return f.check(out, all, s.Name, map[string]any{"command": s.Command, "args": args})
	}
	was, ok := servers[s.Name].(map[string]any)
	if !ok {
		return nil, fmt.Errorf("its %s.%s is not a table", f.Table, s.Name)
	}
	begin, end, ok := f.find(string(content), s.Name)
	if !ok {
		return nil, errHand
	}
	body := string(content[begin:end])
	for _, kv := range [][2]string{{"args", list}, {"command", command}} {
		at := regexp.MustCompile(`(?m)^[ \t]*` + kv[0] + `[ \t]*=[ \t]*`).FindStringIndex(body)
		switch {
		case at == nil && was[kv[0]] == nil:
			body = line + kv[1] + body
		case at == nil:
			return nil, errHand
		default:
			_, text, _ := strings.Cut(kv[1], "= ")
			body = body[:at[1]] + text + body[at[1]+valueEnd(body[at[1]:]):]
		}
	}
	now := map[string]any{}
	for k, v := range was {
		now[k] = v
	}
	now["command"], now["args"] = s.Command, args
	return f.check(string(content[:begin])+body+string(content[end:]), all, s.Name, now)
}

// Remove implements Format.
func (f TOML) Remove(content []byte, name string) ([]byte, error) {
	all, servers, err := f.read(content)
	if err != nil || servers[name] == nil {
		return content, err
	}
	out := string(content)
	for {
		begin, end, ok := f.find(out, name)
		if !ok {
			break
		}
		head := strings.LastIndexByte(out[:begin], '\n') + 1
		if strings.HasPrefix(out[head:], bom) {
			head += len(bom)
		}
		out = joinAround(out[:head], out[begin+len(own.FindString(out[begin:end])):])
	}
	return f.check(out, all, name, nil)
}

// own matches the part of a table's body that is removed with it: comments after its last line may be about what
// follows.
var own = regexp.MustCompile(`(?s)\A.*(?m:^[ \t]*[^#\s][^\n]*(\n|\z))|\A[^\n]*\n?`)

// joinAround joins the text around a removed table, and removes one of the empty lines around it.
func joinAround(before, after string) string {
	above := regexp.MustCompile(`\n\r?\n\z`).FindStringIndex(before)
	below := regexp.MustCompile(`\A\r?\n`).FindString(after)
	switch {
	case below != "" && (above != nil || strings.TrimPrefix(before, bom) == ""):
		after = after[len(below):]
	case after == "" && above != nil:
		before = strings.TrimSuffix(strings.TrimSuffix(before, "\n"), "\r")
	}
	return before + after
}

// find returns the start and end of the body of a server's table, or of a subtable.
func (f TOML) find(content, name string) (begin, end int, ok bool) {
	word := func(w string) string { return `["']?` + regexp.QuoteMeta(w) + `["']?` }
	head := regexp.MustCompile(`(?m)^\x{feff}?[ \t]*\[[ \t]*` + word(f.Table) + `[ \t]*\.[ \t]*` + word(name) + `[ \t]*(\.[^\]\n]*)?\][ \t]*(#[^\n]*)?(\r?$|\z)`)
	at := head.FindStringIndex(content)
	if at == nil {
		return 0, 0, false
	}
	end = len(content)
	if next := regexp.MustCompile(`(?m)^[ \t]*\[`).FindStringIndex(content[at[1]:]); next != nil {
		end = at[1] + next[0]
	}
	return at[1], end, true
}

// check returns the edited file if it parses to what is wanted and nothing else: the edit itself does not parse all
// of TOML.
func (f TOML) check(out string, all map[string]any, name string, want map[string]any) ([]byte, error) {
	now, servers, err := f.read([]byte(out))
	if err != nil {
		return nil, errHand
	}
	var is any
	if servers != nil {
		is = servers[name]
		delete(servers, name)
	}
	if old, ok := all[f.Table].(map[string]any); ok {
		delete(old, name)
	}
	for _, m := range []map[string]any{all, now} {
		if t, ok := m[f.Table].(map[string]any); ok && len(t) == 0 {
			delete(m, f.Table)
		}
	}
	if !reflect.DeepEqual(all, now) || want != nil && !reflect.DeepEqual(is, any(want)) || want == nil && is != nil {
		return nil, errHand
	}
	return []byte(out), nil
}

// valueEnd returns the length of the value at the start of text: a string or a list of strings.
func valueEnd(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"', '\'':
			for i++; i < len(text) && text[i] != c && text[i] != '\n'; i++ {
				if c == '"' && text[i] == '\\' {
					i++
				}
			}
		case '#':
			for i+1 < len(text) && text[i+1] != '\n' {
				i++
			}
			continue
		case '[':
			depth++
		case ']':
			depth--
		case ' ', '\t', '\r', '\n', ',':
			continue
		}
		if depth == 0 {
			return i + 1
		}
	}
	return len(text)
}

var bare = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

func key(name string) string {
	if bare.MatchString(name) {
		return name
	}
	return quote(name)
}

// quote returns a basic string of TOML.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func quoteList(list []string) string {
	words := make([]string, len(list))
	for i, w := range list {
		words[i] = quote(w)
	}
	return "[" + strings.Join(words, ", ") + "]"
}
