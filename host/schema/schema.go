// Package schema validates JSON against the JSON Schemas of typed tools, and derives the schemas that clients see.
// Schemas and values are untrusted: their size is bounded, and so is the work of a validation.
package schema

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/fcp-host/fcp-host/printable"
)

const (
	maxObjects = 2000      // objects in one schema: the compiler compares each pair
	maxProgram = 10_000    // instructions of one compiled pattern
	maxWork    = 1_000_000 // units that validating one value may take, each at most about a microsecond
)

// place is the schema's URL. Nothing else has it.
const place = "fcp:///schema"

// Schema is a compiled JSON Schema. Its methods are safe for concurrent use.
type Schema struct {
	root  *jsonschema.Schema
	at    map[string]*jsonschema.Schema // by location
	heavy int                           // largest cost that one list in the schema adds for each value

	mu   sync.Mutex // held during a Check, since it counts work
	left int
}

// Compile compiles a schema: draft 2020-12 unless $schema says otherwise, with patterns in RE2 syntax and formats
// asserted. It may refer only to itself; nothing is loaded.
func Compile(data []byte) (*Schema, error) {
	doc, err := Decode(data)
	if err != nil {
		return nil, err
	}
	if objects(doc) > maxObjects {
		return nil, fmt.Errorf("it holds more than %d objects", maxObjects)
	}
	s := &Schema{at: map[string]*jsonschema.Schema{}, left: maxWork}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(s.pattern)
	if err := c.AddResource(place, doc); err != nil {
		return nil, plain(err)
	}
	if s.root, err = c.Compile(place); err != nil {
		return nil, plain(err)
	}
	if err := s.countWork(s.root); err != nil {
		return nil, err
	}
	return s, nil
}

// objects counts the objects in a value.
func objects(v any) (n int) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			n += objects(e)
		}
	case map[string]any:
		n = 1
		for _, e := range v {
			n += objects(e)
		}
	}
	return n
}

var errOutside = errors.New("a schema may refer only to itself, as in #/$defs/NAME: nothing is loaded")

// noLoader is a loader that refuses to load.
type noLoader struct{}

// Load always fails.
func (noLoader) Load(string) (any, error) { return nil, errOutside }

// plain describes in one line what is wrong with a schema.
func plain(err error) error {
	text := err.Error()
	var invalid *jsonschema.SchemaValidationError
	switch {
	case strings.Contains(text, errOutside.Error()):
		return errOutside
	case errors.As(err, &invalid):
		text = strings.TrimPrefix(invalid.Err.Error(), "jsonschema validation failed with ")
	}
	text = strings.ReplaceAll(strings.Join(strings.Fields(text), " "), place, "")
	return errors.New(printable.Cut(printable.Line(text), 300))
}

// pattern compiles a pattern and counts its cost.
func (s *Schema) pattern(text string) (jsonschema.Regexp, error) {
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, err
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, err
	}
	if len(program.Inst) > maxProgram {
		return nil, errors.New("the pattern is too large")
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	return &pattern{re, s, len(program.Inst)}, nil
}

type pattern struct {
	*regexp.Regexp
	s    *Schema
	size int // instructions
}

// MatchString reports whether text matches.
func (p *pattern) MatchString(text string) bool {
	p.s.spend(1 + len(text)*p.size/64)
	return p.Regexp.MatchString(text)
}

// countWork makes a schema and all schemas below it count their work before the library validates a value's contents.
//
// # Notes
//   - A kilobyte of schema can ask for exponential work: thirty definitions, each of which refers to the next one twice.
//   - It hooks into formats, since on every path the library checks the format before it descends.
func (s *Schema) countWork(sch *jsonschema.Schema) error {
	if sch == nil || sch.Bool != nil || s.at[sch.Location] != nil {
		return nil
	}
	if sch.DynamicRef != nil || sch.RecursiveRef != nil {
		return errors.New("it has a dynamic reference: use $ref")
	}
	s.at[sch.Location] = sch
	length := len(sch.Required) + len(sch.DependentRequired)
	if sch.Enum != nil {
		length += len(sch.Enum.Values)
	}
	s.heavy = max(s.heavy, length/64)
	own := sch.Format
	counted := &jsonschema.Format{Validate: func(v any) error {
		s.spend((1 + size(v)) * (1 + s.heavy))
		if own != nil {
			return own.Validate(v)
		}
		return nil
	}}
	if own != nil {
		counted.Name = own.Name
	}
	sch.Format = counted
	for _, below := range children(sch) {
		if err := s.countWork(below); err != nil {
			return err
		}
	}
	return nil
}

// children lists the schemas that a schema refers to or contains.
func children(s *jsonschema.Schema) []*jsonschema.Schema {
	list := []*jsonschema.Schema{s.Ref, s.Not, s.If, s.Then, s.Else, s.PropertyNames, s.UnevaluatedProperties, s.Contains, s.Items2020,
		s.UnevaluatedItems, s.ContentSchema}
	for _, more := range [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf, s.PrefixItems} {
		list = append(list, more...)
	}
	for _, below := range s.Properties {
		list = append(list, below)
	}
	for _, below := range s.PatternProperties {
		list = append(list, below)
	}
	for _, below := range s.DependentSchemas {
		list = append(list, below)
	}
	either := []any{s.AdditionalProperties, s.Items, s.AdditionalItems}
	for _, below := range s.Dependencies {
		either = append(either, below)
	}
	for _, below := range either {
		switch below := below.(type) {
		case *jsonschema.Schema:
			list = append(list, below)
		case []*jsonschema.Schema:
			list = append(list, below...)
		}
	}
	return list
}

// size returns the cost of a value itself, without its contents.
func size(v any) int {
	switch v := v.(type) {
	case string:
		return len(v) / 64
	case []any:
		return len(v)
	case map[string]any:
		return len(v)
	}
	return 0
}

// tooMuch aborts a validation that takes too much work.
type tooMuch struct{}

// spend counts work. The caller is in a Check, which holds mu.
func (s *Schema) spend(units int) {
	if s.left -= units; s.left < 0 {
		panic(tooMuch{})
	}
}

var errTooMuch = errors.New("it takes too much work to validate it")

// Check validates a value that Decode returned. The error says where it is wrong and what would be right.
func (s *Schema) Check(v any) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = maxWork
	defer func() {
		switch p := recover().(type) {
		case nil:
		case tooMuch:
			err = errTooMuch
		default:
			panic(p)
		}
	}()
	err = s.root.Validate(v)
	if invalid, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		return s.explain(invalid)
	}
	return err
}
