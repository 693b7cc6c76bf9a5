package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Format reads and writes a client's list of servers. Empty content stands for a file that does not exist.
type Format interface {
	// Get returns the server of that name, or nil. Command is "" if the client does not start it as a program.
	Get(content []byte, name string) (*Server, error)
	// Set adds a server, or changes the command and arguments of the one of that name. All other bytes stay the same.
	Set(content []byte, s Server) ([]byte, error)
	// Remove removes the server of that name with everything that belongs to it.
	Remove(content []byte, name string) ([]byte, error)
}

// Member is a member of a server's object that Server does not have.
type Member struct {
	Key   string
	Value any
}

// JSON is a JSON file that may have comments and trailing commas, as editors accept.
type JSON struct {
	Path          []string // to the object whose members are the servers
	Before, After []Member // members of a new server, before and after Server's own
	OneList       bool     // command is a list of the program and its arguments
}

const bom = "\ufeff"

// parse parses the content, and finds out how it is laid out.
func parse(content []byte) (v hujson.Value, s spacing, err error) {
	content, s.bom = bytes.CutPrefix(content, []byte(bom))
	if len(bytes.TrimSpace(content)) == 0 {
		content = []byte("{}\n")
	}
	v, err = hujson.Parse(content)
	if err != nil {
		return v, s, fmt.Errorf("it is not JSON: %s", strings.TrimPrefix(err.Error(), "hujson: "))
	}
	root, ok := v.Value.(*hujson.Object)
	if !ok {
		return v, s, errors.New("it holds no JSON object")
	}
	s.line, s.indent = "\n", "  "
	if len(root.Members) > 0 {
		before := string(root.Members[0].Name.BeforeExtra)
		at := strings.LastIndexByte(before, '\n')
		if at < 0 {
			s.line, s.indent = "", ""
		} else {
			s.indent = before[at+1:]
		}
	}
	if bytes.Contains(content, []byte("\r\n")) && s.line != "" {
		s.line = "\r\n"
	}
	return v, s, nil
}

// spacing is the layout of a file: line and indent are empty if all is on one line.
type spacing struct {
	bom          bool
	line, indent string
}

// at returns a line break and the indentation of the next line.
func (s spacing) at(depth int) string { return s.line + strings.Repeat(s.indent, depth) }

func (s spacing) pack(v hujson.Value) []byte {
	out := v.Pack()
	if s.bom {
		out = append([]byte(bom), out...)
	}
	return out
}

// member returns an object's member of that name.
func member(o *hujson.Object, name string) *hujson.Value {
	for i := range o.Members {
		if l, ok := o.Members[i].Name.Value.(hujson.Literal); ok && l.String() == name {
			return &o.Members[i].Value
		}
	}
	return nil
}

// twice reports whether an object has several members of that name.
func twice(o *hujson.Object, name string) bool {
	n := 0
	for i := range o.Members {
		if l, ok := o.Members[i].Name.Value.(hujson.Literal); ok && l.String() == name {
			n++
		}
	}
	return n > 1
}

// servers returns the object whose members are servers; with make, it creates a missing one.
func (f JSON) servers(v *hujson.Value, s spacing, make bool) (*hujson.Object, error) {
	o := v.Value.(*hujson.Object)
	for i, name := range f.Path {
		m := member(o, name)
		if twice(o, name) {
			return nil, fmt.Errorf("its %s occurs twice, and readers may take either", strings.Join(f.Path[:i+1], "."))
		}
		switch {
		case m == nil && !make:
			return nil, nil
		case m == nil:
			put(o, name, hujson.Value{Value: &hujson.Object{}}, s, i+1)
			m = member(o, name)
		}
		next, ok := m.Value.(*hujson.Object)
		if !ok {
			return nil, fmt.Errorf("its %s is not an object", strings.Join(f.Path[:i+1], "."))
		}
		o = next
	}
	return o, nil
}

// put appends a member to an object at a depth. (In hujson, the space before the closing brace is the object's
// AfterExtra, and a trailing comma is a non-nil AfterExtra of the last member's value.)
func put(o *hujson.Object, name string, value hujson.Value, s spacing, depth int) {
	if s.line != "" {
		value.BeforeExtra = hujson.Extra(" ")
	}
	if n := len(o.Members); n > 0 && o.Members[n-1].Value.AfterExtra != nil {
		value.AfterExtra = hujson.Extra{} // keep the file's trailing comma
	}
	// Comments after the last member stay with it.
	before := slices.Concat(bytes.TrimRight(o.AfterExtra, " \t\r\n"), []byte(s.at(depth)))
	if s.line == "" {
		before = o.AfterExtra // it may end in a line comment, which needs its line break
	}
	o.AfterExtra = hujson.Extra(s.at(depth - 1))
	o.Members = append(o.Members, hujson.ObjectMember{Name: hujson.Value{BeforeExtra: before, Value: hujson.String(name)}, Value: value})
}

// value returns a Go value as JSON at a depth: an object with one member a line, anything else on one line.
func value(v any, s spacing, depth int) hujson.Value {
	members, ok := v.([]Member)
	if !ok {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		_ = e.Encode(v) // strings, lists of strings and booleans always encode
		parsed, _ := hujson.Parse(bytes.TrimSpace(b.Bytes()))
		if list, ok := parsed.Value.(*hujson.Array); ok && s.line != "" {
			for i := range list.Elements[min(1, len(list.Elements)):] {
				list.Elements[i+1].BeforeExtra = hujson.Extra(" ")
			}
		}
		return parsed
	}
	o := &hujson.Object{}
	for _, m := range members {
		put(o, m.Key, value(m.Value, s, depth+1), s, depth+1)
	}
	return hujson.Value{Value: o}
}

// launchMembers returns the members that say how to start a server.
func (f JSON) launchMembers(s Server) []Member {
	args := s.Args
	if args == nil {
		args = []string{}
	}
	if f.OneList {
		return []Member{{"command", append([]string{s.Command}, args...)}}
	}
	return []Member{{"command", s.Command}, {"args", args}}
}

// Get implements Format.
func (f JSON) Get(content []byte, name string) (*Server, error) {
	v, s, err := parse(content)
	if err != nil {
		return nil, err
	}
	all, err := f.servers(&v, s, false)
	if err != nil || all == nil {
		return nil, err
	}
	m := member(all, name)
	if m == nil {
		return nil, nil
	}
	if twice(all, name) {
		return nil, fmt.Errorf("its %s.%s occurs twice, and readers may take either", strings.Join(f.Path, "."), name)
	}
	o, ok := m.Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("its %s.%s is not an object", strings.Join(f.Path, "."), name)
	}
	is := &Server{Name: name}
	var list []string
	read := func(key string, to any) {
		if v := member(o, key); v != nil {
			plain := v.Clone()
			plain.Standardize()
			_ = json.Unmarshal(plain.Pack(), to) // a value of another type is not a program that this client starts
		}
	}
	if f.OneList {
		read("command", &list)
		if len(list) > 0 {
			is.Command, is.Args = list[0], list[1:]
		}
		return is, nil
	}
	read("command", &is.Command)
	read("args", &is.Args)
	return is, nil
}

// Set implements Format.
func (f JSON) Set(content []byte, server Server) ([]byte, error) {
	v, s, err := parse(content)
	if err != nil {
		return nil, err
	}
	all, err := f.servers(&v, s, true)
	if err != nil {
		return nil, err
	}
	depth := len(f.Path) + 1
	is := member(all, server.Name)
	if is == nil {
		put(all, server.Name, value(slices.Concat(f.Before, f.launchMembers(server), f.After), s, depth), s, depth)
		return f.check(s.pack(v), server)
	}
	o, ok := is.Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("its %s.%s is not an object", strings.Join(f.Path, "."), server.Name)
	}
	for _, m := range f.launchMembers(server) {
		new := value(m.Value, s, depth+1)
		if old := member(o, m.Key); old != nil {
			old.Value = new.Value
		} else {
			put(o, m.Key, new, s, depth+1)
		}
	}
	return f.check(s.pack(v), server)
}

// check returns the edited file if it has the wanted server.
func (f JSON) check(out []byte, want Server) ([]byte, error) {
	is, err := f.Get(out, want.Name)
	if err != nil || is == nil || is.Command != want.Command || !slices.Equal(is.Args, want.Args) {
		return nil, errHand
	}
	return out, nil
}

// Remove implements Format.
func (f JSON) Remove(content []byte, name string) ([]byte, error) {
	v, s, err := parse(content)
	if err != nil {
		return nil, err
	}
	all, err := f.servers(&v, s, false)
	if err != nil || all == nil {
		return content, err
	}
	i := slices.IndexFunc(all.Members, func(m hujson.ObjectMember) bool {
		l, ok := m.Name.Value.(hujson.Literal)
		return ok && l.String() == name
	})
	if i < 0 {
		return content, nil
	}
	// A comment on the line where the previous member ends belongs to that member.
	comment, _, _ := bytes.Cut(all.Members[i].Name.BeforeExtra, []byte("\n"))
	comment = bytes.TrimRight(comment, " \t\r")
	next := &all.AfterExtra
	if i+1 < len(all.Members) {
		next = &all.Members[i+1].Name.BeforeExtra
	} else if i > 0 {
		before := &all.Members[i-1].Value.AfterExtra
		if all.Members[i].Value.AfterExtra == nil {
			comment, *before = slices.Concat(*before, comment), nil
		} else if *before == nil {
			*before = hujson.Extra{}
		}
	} else if len(comment) == 0 && len(bytes.TrimSpace(all.AfterExtra)) == 0 {
		all.AfterExtra = nil
	}
	*next = slices.Concat(comment, *next)
	all.Members = slices.Delete(all.Members, i, i+1)
	return s.pack(v), nil
}
