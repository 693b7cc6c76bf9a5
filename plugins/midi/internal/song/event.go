package song

import (
	"bytes"
	"strconv"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
)

// ID identifies an event for the life of the document. Events get ids in file order
// when they are opened, then in the order in which they are made.
type ID uint32

// Event is one event in a track. Verbs read it; only edits write it.
type Event struct {
	smf.Event
	ID    ID
	Mate  *Event // the other half of a note: the note-off of a note-on and the reverse; nil for other events
	Track *Track

	block *block // its block in the track's list
}

// invalidate invalidates what is cached about the blocks of e and of its other half.
func (e *Event) invalidate() {
	if e.block != nil {
		e.block.invalidate()
	}
	if e.Mate != nil && e.Mate.block != nil {
		e.Mate.block.invalidate()
	}
}

// Meta event types.
const (
	MetaText      = 0x01
	metaCopyright = 0x02
	MetaName      = 0x03
	MetaLyric     = 0x05
	MetaMarker    = 0x06
	MetaCue       = 0x07
	metaChannel   = 0x20
	metaPort      = 0x21
	MetaTempo     = 0x51
	metaSMPTE     = 0x54
	MetaTimeSig   = 0x58
	MetaKeySig    = 0x59
)

// Kind is the kind of an event, as @type names it.
type Kind string

// The kinds. A note is the note-on of a pair; NoteOn and NoteOff have lost their other
// half.
const (
	KindNote         Kind = "note"
	KindNoteOn       Kind = "note-on"
	KindNoteOff      Kind = "note-off"
	KindPolyPressure Kind = "poly-pressure"
	KindCC           Kind = "cc"
	KindProgram      Kind = "program"
	KindPressure     Kind = "pressure"
	KindBend         Kind = "bend"
	KindSysEx        Kind = "sysex"
	KindSystem       Kind = "system"
	KindText         Kind = "text"
	KindCopyright    Kind = "copyright"
	KindName         Kind = "name"
	KindInstrument   Kind = "instrument"
	KindLyric        Kind = "lyric"
	KindMarker       Kind = "marker"
	KindCue          Kind = "cue"
	KindChannel      Kind = "channel-prefix"
	KindPort         Kind = "port"
	KindTempo        Kind = "tempo"
	KindSMPTE        Kind = "smpte-offset"
	KindTimeSig      Kind = "time-sig"
	KindKeySig       Kind = "key-sig"
	KindSequencer    Kind = "sequencer"
	KindMeta         Kind = "meta"
	KindMalformed    Kind = "malformed"
)

// Kinds lists every kind.
func Kinds() []Kind {
	return []Kind{KindNote, KindCC, KindProgram, KindBend, KindPressure, KindPolyPressure, KindTempo, KindTimeSig, KindKeySig,
		KindMarker, KindText, KindLyric, KindCue, KindCopyright, KindName, KindInstrument, KindSysEx, KindSystem, KindChannel,
		KindPort, KindSMPTE, KindSequencer, KindMeta, KindNoteOn, KindNoteOff, KindMalformed}
}

// Kind returns the kind of e. The note-off of a note belongs to it and has kind note,
// too.
func (e *Event) Kind() Kind {
	if e.Mate != nil {
		return KindNote
	}
	if e.malformed() {
		return KindMalformed
	}
	switch e.Status & 0xF0 {
	case 0x80:
		return KindNoteOff
	case 0x90:
		if e.B == 0 {
			return KindNoteOff
		}
		return KindNoteOn
	case 0xA0:
		return KindPolyPressure
	case 0xB0:
		return KindCC
	case 0xC0:
		return KindProgram
	case 0xD0:
		return KindPressure
	case 0xE0:
		return KindBend
	}
	switch e.Status {
	case smf.SysEx, smf.Escape:
		return KindSysEx
	case smf.Meta:
		return metaKind(e.A)
	}
	return KindSystem
}

func metaKind(typ byte) Kind {
	switch typ {
	case MetaText:
		return KindText
	case metaCopyright:
		return KindCopyright
	case MetaName:
		return KindName
	case 0x04:
		return KindInstrument
	case MetaLyric:
		return KindLyric
	case MetaMarker:
		return KindMarker
	case MetaCue:
		return KindCue
	case metaChannel:
		return KindChannel
	case metaPort:
		return KindPort
	case MetaTempo:
		return KindTempo
	case metaSMPTE:
		return KindSMPTE
	case MetaTimeSig:
		return KindTimeSig
	case MetaKeySig:
		return KindKeySig
	case 0x7F:
		return KindSequencer
	}
	return KindMeta
}

// IsText reports whether events of the kind hold a text.
func (k Kind) IsText() bool {
	switch k {
	case KindText, KindCopyright, KindName, KindInstrument, KindLyric, KindMarker, KindCue:
		return true
	}
	return false
}

// IsNote reports whether e is the note-on of a note.
func (e *Event) IsNote() bool { return e.Mate != nil && e.isOn() }

// isOn reports whether e is a note-on that starts a note.
func (e *Event) isOn() bool { return e.Status&0xF0 == 0x90 && e.B > 0 && !e.malformed() }

// isOff reports whether e ends a note.
func (e *Event) isOff() bool {
	return (e.Status&0xF0 == 0x80 || e.Status&0xF0 == 0x90 && e.B == 0) && !e.malformed()
}

// malformed reports whether e is a channel message with a data byte above 127, which
// cannot be sent to a device. It is kept as it is and otherwise ignored.
func (e *Event) malformed() bool { return e.IsChannel() && (e.A|e.B)&0x80 != 0 }

// IsElement reports whether e is an element: every event but the note-off of a note.
func (e *Event) IsElement() bool { return e.Mate == nil || e.isOn() }

// Channel returns 1-16, or 0 if e is not a valid channel message.
func (e *Event) Channel() int {
	if !e.IsChannel() || e.malformed() {
		return 0
	}
	return int(e.Status&0x0F) + 1
}

// Pitch and Velocity return those of a note.
func (e *Event) Pitch() int    { return int(e.A) }
func (e *Event) Velocity() int { return int(e.B) }

// Length returns a note's length in ticks.
func (e *Event) Length() int64 { return e.Mate.Tick - e.Tick }

// Text returns the payload of a text event, decoded as UTF-8 or else Latin-1, without
// the zeros that some programs pad it with.
func (e *Event) Text() string { return decode(bytes.TrimRight(e.Payload, "\x00")) }

func decode(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	r := make([]rune, len(b))
	for i, c := range b {
		r[i] = rune(c)
	}
	return string(r)
}

// Ref returns the event's id as the host sees it.
func (e *Event) Ref() string { return printID(e.ID, e.IsNote()) }

// rank orders new events of the same tick: setup, then note ends, then banks before
// programs before other messages, then note starts.
func (e *Event) rank() int {
	switch e.Status & 0xF0 {
	case 0x80:
		return 1
	case 0x90:
		if e.B == 0 {
			return 1
		}
		return 5
	case 0xB0:
		if e.A == 0 || e.A == 32 {
			return 2
		}
	case 0xC0:
		return 3
	case 0xF0:
		if e.Status == smf.Meta {
			return 0
		}
	}
	return 4
}

// printID prints an id as Event.Ref does.
func printID(id ID, note bool) string {
	if note {
		return "n" + strconv.FormatUint(uint64(id), 10)
	}
	return "e" + strconv.FormatUint(uint64(id), 10)
}
