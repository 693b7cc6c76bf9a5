package abi

// The codec by reflection on struct tags. Tests compare the generated one with it.
var (
	ReflectFrom = reflectFrom
	ReflectInto = reflectInto
)

// Room returns how many bytes Marshal allocates for v; ok is false if v has no generated codec.
func Room(v any) (n int, ok bool) {
	m, ok := v.(message)
	if !ok {
		return 0, false
	}
	return m.room(), true
}
