package schema

import (
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Declares reports whether the schema names a key of the object that it describes, or says itself what other keys mean.
func (s *Schema) Declares(key string) bool {
	seen := map[*jsonschema.Schema]bool{}
	var declares func(*jsonschema.Schema) bool
	declares = func(sch *jsonschema.Schema) bool {
		if sch == nil || seen[sch] {
			return false
		}
		seen[sch] = true
		if _, ok := sch.Properties[key]; ok || sch.AdditionalProperties != nil && sch.AdditionalProperties != false {
			return true
		}
		for pattern := range sch.PatternProperties {
			if pattern.MatchString(key) {
				return true
			}
		}
		return slices.ContainsFunc(parts(sch), declares)
	}
	s.mu.Lock() // patterns count their work
	defer s.mu.Unlock()
	s.left = maxWork
	return declares(s.root)
}

// Ignores reports whether the schema says nothing of a key of an object, neither by a property or a pattern nor in general,
// although it declares others: an object may have the key, but it means nothing.
func (s *Schema) Ignores(key string) bool {
	lists := false // whether the schema declares properties
	seen := map[*jsonschema.Schema]bool{}
	var silent func(*jsonschema.Schema) bool
	silent = func(sch *jsonschema.Schema) bool {
		if sch == nil || seen[sch] {
			return true
		}
		seen[sch] = true
		lists = lists || len(sch.Properties) > 0
		return sch.AdditionalProperties == nil && sch.UnevaluatedProperties == nil && sch.PropertyNames == nil && sch.Not == nil &&
			!slices.ContainsFunc(parts(sch), func(part *jsonschema.Schema) bool { return !silent(part) })
	}
	return silent(s.root) && lists && !s.Declares(key)
}

// parts lists the schemas that apply to the same object.
func parts(sch *jsonschema.Schema) []*jsonschema.Schema {
	return slices.Concat([]*jsonschema.Schema{sch.Ref, sch.If, sch.Then, sch.Else}, sch.AllOf, sch.AnyOf, sch.OneOf, slices.Collect(maps.Values(sch.DependentSchemas)))
}
