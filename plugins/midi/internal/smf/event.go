package smf

// Status bytes of messages that are not channel messages.
const (
	SysEx    = 0xF0 // system exclusive, or its first packet
	Escape   = 0xF7 // continuation packet, or arbitrary bytes
	Meta     = 0xFF
	EndTrack = 0x2F // meta type
)

// Event is one event of a track at an absolute time, with everything needed to write it
// exactly as it was.
//
// Channel messages (Status 0x80-0xEF) and system messages (0xF1-0xF6,
// 0xF8-0xFE, which the standard does not allow in files but files contain)
// carry A and B, as many as DataLen says. Meta events carry their type in A and
// their content in Payload; SysEx and Escape carry only Payload.
type Event struct {
	Tick    int64 // absolute, from the start of the track, at most MaxTick
	Status  byte
	A, B    byte
	How     How
	Pad     uint8  // width of the delta time in bytes if wider than needed, else 0
	LenPad  uint8  // the same for the length of Payload
	Payload []byte // never modified in place: it may alias the opened file
}

// MaxTick is the longest time, and MaxLength the longest payload, that a
// variable-length quantity of four bytes can hold.
const (
	MaxTick   = 1<<28 - 1
	MaxLength = 1<<28 - 1
)

// How is how an event's status byte is written.
type How uint8

// Ways of writing a status byte. Running takes effect only after an event with the same
// status, so events can be inserted in between without harm.
const (
	Explicit      How = iota
	Running           // left out: the status of the event before applies
	RunningAcross     // left out although a meta, sysex or system event is in between, which the standard forbids
)

// IsChannel reports whether e is a channel message.
func (e *Event) IsChannel() bool { return e.Status < SysEx }

// IsMeta reports whether e is a meta event of a type.
func (e *Event) IsMeta(typ byte) bool { return e.Status == Meta && e.A == typ }

// Sets returns which setting of time a meta event changes: "tempo", "time signature",
// "key signature", or "". sound is false if the payload has the wrong size or an
// impossible value.
func (e *Event) Sets() (what string, sound bool) {
	p := e.Payload
	switch {
	case e.IsMeta(0x51):
		return "tempo", len(p) == 3 && p[0]|p[1]|p[2] != 0
	case e.IsMeta(0x58):
		return "time signature", len(p) == 4 && p[0] > 0 && p[1] <= 7
	case e.IsMeta(0x59):
		return "key signature", len(p) == 2 && int8(p[0]) >= -7 && int8(p[0]) <= 7 && p[1] <= 1
	}
	return "", true
}

// DataLen returns the number of data bytes (A, B) after a status byte other than SysEx,
// Escape and Meta.
func DataLen(status byte) int {
	switch {
	case status < 0xC0, status >= 0xE0 && status < 0xF0, status == 0xF2:
		return 2
	case status < 0xE0, status == 0xF1, status == 0xF3:
		return 1
	}
	return 0
}

// vlqLen returns the least number of bytes for v.
func vlqLen(v int64) int {
	switch {
	case v < 1<<7:
		return 1
	case v < 1<<14:
		return 2
	case v < 1<<21:
		return 3
	}
	return 4
}

// appendVLQ writes v in at least width and at most 4 bytes.
func appendVLQ(b []byte, v int64, width uint8) []byte {
	n := max(vlqLen(v), int(width))
	for i := n - 1; i > 0; i-- {
		b = append(b, byte(v>>(7*i))&0x7F|0x80)
	}
	return append(b, byte(v)&0x7F)
}
