package song

import (
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/smf"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/theory"
)

// Setup is what a new song starts with. Every field must be valid.
type Setup struct {
	Title    string
	PPQ      int // ticks in a quarter note, 1-32767
	BPM      float64
	Num, Den int
	Key      theory.Key
}

// New makes a song of format 1 that has only a conductor track.
func New(set Setup) *Song {
	tempo, _ := TempoPayload(set.BPM)
	t := &smf.Track{Events: []smf.Event{
		{Status: smf.Meta, A: MetaName, Payload: []byte(set.Title)},
		{Status: smf.Meta, A: MetaTimeSig, Payload: SignaturePayload(set.Num, set.Den)},
		{Status: smf.Meta, A: MetaKeySig, Payload: KeyPayload(set.Key)},
		{Status: smf.Meta, A: MetaTempo, Payload: tempo},
	}}
	return fromFile(&smf.File{Format: 1, Division: smf.Division(set.PPQ), Chunks: []smf.Chunk{{Track: t}}})
}

// KeyPayload returns the payload of a key signature event.
func KeyPayload(k theory.Key) []byte {
	return []byte{byte(int8(k.Fifths)), byte(pdk.If(k.Minor, 1, 0))}
}
