package abi

// The reference that the generated codec is held against.
var (
	ReflectFrom = reflectFrom
	ReflectInto = reflectInto
)

// Room is how much Marshal asks for; ok is false for what has no generated codec.
func Room(v any) (n int, ok bool) {
	m, ok := v.(message)
	if !ok {
		return 0, false
	}
	return m.room(), true
}
