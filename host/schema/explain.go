package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/fcp-host/fcp-host/printable"
)

const (
	maxFaults = 5   // faults that one error names
	maxFault  = 400 // bytes of one fault
	maxValues = 20  // values of an enum that an error lists
)

// explain describes what is wrong with a value, with the place of each fault.
func (s *Schema) explain(e *jsonschema.ValidationError) error {
	list := s.faults(e)
	slices.Sort(list)
	list = slices.Compact(list)
	text := strings.Join(list[:min(len(list), maxFaults)], "; ")
	if more := len(list) - maxFaults; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return errors.New(text)
}

// faults lists the faults. If no alternative of a schema fits, that is one fault.
func (s *Schema) faults(e *jsonschema.ValidationError) (list []string) {
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		var alternatives []string
		for _, c := range e.Causes {
			alternatives = append(alternatives, strings.Join(s.faults(c), " and "))
		}
		if len(alternatives) > 0 {
			return []string{printable.Cut("one of these must be corrected: "+strings.Join(alternatives[:min(len(alternatives), maxFaults)], "; or "), 2*maxFault)}
		}
	}
	for _, c := range e.Causes {
		if len(list) > 100*maxFaults {
			return list
		}
		list = append(list, s.faults(c)...)
	}
	if len(e.Causes) > 0 {
		return list
	}
	return []string{printable.Cut(at(e.InstanceLocation)+s.fault(e), maxFault)}
}

// at returns how an error names a place: " at a.b[2]" for the path a, b, 2; nothing for the whole value.
func at(path []string) string {
	var b strings.Builder
	for _, step := range path {
		switch {
		case step != "" && strings.Trim(step, "0123456789") == "":
			b.WriteString("[" + step + "]")
		case b.Len() > 0:
			b.WriteString("." + step)
		default:
			b.WriteString(step)
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return printable.Cut(printable.Line(printable.Cut(b.String(), 120)), 120) + ": "
}

// english prints the library's messages where this package has none of its own.
var english = message.NewPrinter(language.English)

func (s *Schema) fault(e *jsonschema.ValidationError) string {
	switch k := e.ErrorKind.(type) {
	case *kind.Type:
		return fmt.Sprintf("must be %s, not %s", strings.Join(k.Want, " or "), k.Got)
	case *kind.Enum:
		text := "must be one of " + values(k.Want)
		if len(k.Want) == 1 {
			text = "must be " + values(k.Want)
		}
		return text + ", not " + formatValue(k.Got)
	case *kind.Const:
		return "must be " + formatValue(k.Want)
	case *kind.Required:
		if len(k.Missing) == 1 {
			return quote(k.Missing[0]) + " is missing"
		}
		return names(k.Missing) + " are missing"
	case *kind.AdditionalProperties:
		slices.Sort(k.Properties)
		text := "there is no " + names(k.Properties)
		if sch := s.at[e.SchemaURL]; sch != nil && len(sch.Properties) > 0 {
			text += "; there are " + names(slices.Sorted(maps.Keys(sch.Properties)))
		}
		return text
	case *kind.MinLength:
		return fmt.Sprintf("must have at least %d characters, and has %d", k.Want, k.Got)
	case *kind.MaxLength:
		return fmt.Sprintf("must have at most %d characters, and has %d", k.Want, k.Got)
	case *kind.Pattern:
		return fmt.Sprintf("must match %s, and %s does not", printable.Line(printable.Cut(k.Want, 100)), formatValue(k.Got))
	case *kind.Format:
		text := "must be a " + printable.Line(printable.Cut(k.Want, 40))
		if example := map[string]string{"date-time": "2025-10-16T12:00:00Z", "date": "2025-10-16", "time": "12:00:00Z", "uuid": "123e4567-e89b-12d3-a456-426614174000"}[k.Want]; example != "" {
			text += ", such as " + example
		}
		return text + ", not " + formatValue(k.Got)
	case *kind.Minimum:
		return "must be at least " + k.Want.RatString()
	case *kind.Maximum:
		return "must be at most " + k.Want.RatString()
	case *kind.MinItems:
		return fmt.Sprintf("must have at least %d items, and has %d", k.Want, k.Got)
	case *kind.MaxItems:
		return fmt.Sprintf("must have at most %d items, and has %d", k.Want, k.Got)
	case *kind.MinProperties:
		return fmt.Sprintf("must have at least %d properties, and has %d", k.Want, k.Got)
	}
	return printable.Line(printable.Cut(e.ErrorKind.LocalizedString(english), maxFault))
}

func names(list []string) string {
	var out []string
	for _, n := range list[:min(len(list), maxValues)] {
		out = append(out, quote(n))
	}
	if len(list) > maxValues {
		out = append(out, "…")
	}
	return strings.Join(out, ", ")
}

func values(list []any) string {
	var out []string
	for _, v := range list[:min(len(list), maxValues)] {
		out = append(out, formatValue(v))
	}
	if len(list) > maxValues {
		out = append(out, "…")
	}
	return strings.Join(out, ", ")
}

// formatValue formats a value for an error.
func formatValue(v any) string {
	switch v := v.(type) {
	case string:
		return quote(v)
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	}
	data, err := json.Marshal(v)
	if err != nil {
		return "it"
	}
	return printable.Cut(string(data), 64)
}
