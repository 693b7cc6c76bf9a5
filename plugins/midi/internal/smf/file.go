package smf

// File is a Standard MIDI File.
type File struct {
	Riff *Riff // set if the file is wrapped (.rmi)

	Format      uint16
	Division    Division
	HeaderExtra []byte // bytes of the header chunk after the first six
	TrackDiff   int    // the number of tracks in the header, less the actual number
	Chunks      []Chunk
	Trailing    []byte // bytes after the last chunk
}

// Chunk is a track, or a chunk of another kind that is kept as it is.
type Chunk struct {
	Track *Track
	ID    [4]byte // if Track is nil
	Data  []byte
}

// Track is one MTrk chunk.
type Track struct {
	Events []Event // ticks never decrease; without the end-of-track event
	End    End
	Tail   []byte // bytes of the chunk after its end-of-track event
}

// End is a track's end-of-track event.
type End struct {
	Missing bool  // the track has none
	Tick    int64 // a lower bound: Encode never writes it before the last event
	Pad     uint8 // as Event.Pad
	LenPad  uint8
	Cut     uint8 // bytes missing at its end because the file was cut there, 0-2; ignored if another chunk follows
}

// Riff is what surrounds the MIDI data of a RIFF RMID file.
type Riff struct {
	SizeDiff int    // the RIFF size field, less the correct value
	Before   []byte // whole chunks before the data chunk
	DataDiff int    // the data size field, less the correct value
	Unpadded bool   // an odd data chunk lacks its pad byte
	After    []byte // bytes after the data chunk
}

// Division is the header's time division: ticks per quarter note, or SMPTE
// frames and ticks per frame.
type Division uint16

// PPQ returns the number of ticks per quarter note. ok is false if the division counts
// SMPTE frames.
func (d Division) PPQ() (ticks int, ok bool) { return int(d), d&0x8000 == 0 }

// SMPTE returns the frame rate (24, 25, 29 for 30 drop frame, 30) and the ticks in a
// frame. It is meaningful only if PPQ is not ok.
func (d Division) SMPTE() (fps, ticks int) { return -int(int8(d >> 8)), int(d & 0xFF) }

// Tracks lists the tracks, in file order.
func (f *File) Tracks() []*Track {
	var out []*Track
	for i := range f.Chunks {
		if t := f.Chunks[i].Track; t != nil {
			out = append(out, t)
		}
	}
	return out
}
