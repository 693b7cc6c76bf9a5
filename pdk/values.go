package pdk

// Map returns what f makes of each item, nil for an empty list.
func Map[T, U any](list []T, f func(T) U) []U {
	var out []U
	for _, x := range list {
		out = append(out, f(x))
	}
	return out
}

// Filter returns the items that pass a test, in a list of its own; nil if none does.
func Filter[T any](list []T, is func(T) bool) []T {
	var out []T
	for _, x := range list {
		if is(x) {
			out = append(out, x)
		}
	}
	return out
}

// Set returns the items as the keys of a map.
func Set[T comparable](list []T) map[T]bool {
	out := make(map[T]bool, len(list))
	for _, x := range list {
		out[x] = true
	}
	return out
}

// If returns one of two values, both of which are known.
func If[T any](is bool, then, otherwise T) T {
	if is {
		return then
	}
	return otherwise
}
