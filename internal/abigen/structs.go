package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
)

// message is a struct with fields that have msgpack tags.
type message struct {
	name   string
	fields []field
	custom bool // it has a hand-written parse method
}

// field is one field of a message.
type field struct {
	name  string // in Go
	key   string // on the wire
	omit  bool   // omitted if zero
	most  string // maximum number of list elements: a constant of package abi
	kind  kind
	typ   string // type of a text, if named
	inner string // the message that the field is, points to or lists
}

type kind int

const (
	text     kind = iota // string, or a type of string
	number               // int
	truth                // bool
	data                 // []byte
	texts                // []string
	numbers              // []int
	struc                // Message
	pointer              // *Message
	messages             // []Message
)

// read finds the messages declared in the package in dir, sorted by file and position.
func read(dir string) ([]message, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	var list []message
	custom := map[string]bool{}
	known := map[string]kind{"string": text, "int": number, "bool": truth}
	for _, name := range names {
		if filepath.Base(name) == output || strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv != nil && d.Name.Name == "parse" {
					if star, ok := d.Recv.List[0].Type.(*ast.StarExpr); ok {
						custom[star.X.(*ast.Ident).Name] = true
					}
				}
			case *ast.GenDecl:
				for _, s := range d.Specs {
					t, ok := s.(*ast.TypeSpec)
					if !ok {
						continue
					}
					switch of := t.Type.(type) {
					case *ast.Ident:
						if of.Name == "string" {
							known[t.Name.Name] = text
						}
					case *ast.StructType:
						m := message{name: t.Name.Name}
						if m.fields, err = fields(of); err != nil {
							return nil, fmt.Errorf("%s: %w", m.name, err)
						}
						if len(m.fields) > 0 {
							list = append(list, m)
							known[m.name] = struc
						}
					}
				}
			}
		}
	}
	for i := range list {
		m := &list[i]
		m.custom = custom[m.name]
		for j := range m.fields {
			if err := m.fields[j].resolve(known); err != nil {
				return nil, fmt.Errorf("%s.%s: %w", m.name, m.fields[j].name, err)
			}
		}
	}
	return list, nil
}

// reachable returns the named messages and those in their fields.
func reachable(all []message, names []string) ([]message, error) {
	wanted := map[string]bool{}
	for len(names) > 0 {
		name := names[0]
		names = names[1:]
		if wanted[name] {
			continue
		}
		wanted[name] = true
		i := slices.IndexFunc(all, func(m message) bool { return m.name == name })
		if i < 0 {
			return nil, fmt.Errorf("no struct %s with msgpack tags", name)
		}
		if n := len(all[i].fields); n > 15 {
			return nil, fmt.Errorf("%s: %d fields, more than AppendMap takes", name, n)
		}
		for _, f := range all[i].fields {
			if f.kind >= struc {
				names = append(names, f.inner)
			}
		}
	}
	return slices.DeleteFunc(all, func(m message) bool { return !wanted[m.name] }), nil
}

// fields reads the fields of a struct that have a msgpack tag. Types are resolved later, when all types of the package
// are known.
func fields(s *ast.StructType) ([]field, error) {
	var list []field
	for _, f := range s.Fields.List {
		if f.Tag == nil {
			continue
		}
		tag := reflect.StructTag(strings.Trim(f.Tag.Value, "`"))
		value, ok := tag.Lookup("msgpack")
		if !ok {
			continue
		}
		key, option, _ := strings.Cut(value, ",")
		if key == "" || len(key) > 31 || option != "" && option != "omitempty" || len(f.Names) != 1 {
			return nil, fmt.Errorf("a field with the tag %q: want one name, and a key of 1 to 31 bytes with no option but omitempty", value)
		}
		list = append(list, field{name: f.Names[0].Name, key: key, omit: option != "", most: tag.Get("max"), typ: typeText(f.Type)})
	}
	return list, nil
}

func typeText(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return "*" + typeText(e.X)
	case *ast.ArrayType:
		if e.Len == nil {
			return "[]" + typeText(e.Elt)
		}
	}
	return "?"
}

// resolve sets the field's kind from its type.
func (f *field) resolve(known map[string]kind) error {
	if f.most == "" {
		f.most = "MaxElements"
	}
	elem, list := strings.CutPrefix(f.typ, "[]")
	target, points := strings.CutPrefix(f.typ, "*")
	f.inner = elem
	if points {
		f.inner = target
	}
	of, ok := known[f.inner]
	switch {
	case f.typ == "[]byte":
		f.kind = data
	case f.typ == "[]string":
		f.kind = texts
	case f.typ == "[]int":
		f.kind = numbers
	case list && ok && of == struc:
		f.kind = messages
	case points && ok && of == struc && f.omit:
		f.kind = pointer
	case !list && !points && ok && (of != struc || !f.omit):
		f.kind = of
	default:
		return fmt.Errorf("no codec for the type %s with omitempty %v", f.typ, f.omit)
	}
	return nil
}
