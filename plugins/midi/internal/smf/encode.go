package smf

import "encoding/binary"

// Encode writes the file. It is a pure function of f: a File that came from Parse gives
// the parsed bytes.
func (f *File) Encode() []byte {
	size := 64 + len(f.HeaderExtra) + len(f.Trailing)
	for i := range f.Chunks {
		size += 16 + len(f.Chunks[i].Data)
		if t := f.Chunks[i].Track; t != nil {
			size += 5*len(t.Events) + len(t.Tail)
			for j := range t.Events {
				size += len(t.Events[j].Payload)
			}
		}
	}
	b := make([]byte, 0, size)
	if r := f.Riff; r != nil {
		size += len(r.Before) + len(r.After)
		b = append(b, "RIFF\x00\x00\x00\x00RMID"...)
		b = append(b, r.Before...)
		b = append(b, "data\x00\x00\x00\x00"...)
	}
	start := len(b)
	b = append(b, "MThd"...)
	b = binary.BigEndian.AppendUint32(b, uint32(6+len(f.HeaderExtra)))
	b = binary.BigEndian.AppendUint16(b, f.Format)
	b = binary.BigEndian.AppendUint16(b, uint16(len(f.Tracks())+f.TrackDiff))
	b = binary.BigEndian.AppendUint16(b, uint16(f.Division))
	b = append(b, f.HeaderExtra...)
	for i := range f.Chunks {
		c := &f.Chunks[i]
		if c.Track != nil {
			// Only an event at the end of the file can be cut off.
			last := i == len(f.Chunks)-1 && len(f.Trailing) == 0
			b = c.Track.encode(b, last)
			continue
		}
		b = append(b, c.ID[:]...)
		b = binary.BigEndian.AppendUint32(b, uint32(len(c.Data)))
		b = append(b, c.Data...)
	}
	b = append(b, f.Trailing...)
	if r := f.Riff; r != nil {
		data := len(b) - start
		binary.LittleEndian.PutUint32(b[start-4:], uint32(data+r.DataDiff))
		if data&1 == 1 && !r.Unpadded {
			b = append(b, 0)
		}
		b = append(b, r.After...)
		binary.LittleEndian.PutUint32(b[4:], uint32(len(b)-8+r.SizeDiff))
	}
	return b
}

// encode writes the chunk. The last chunk of a file keeps its cut end.
func (t *Track) encode(b []byte, last bool) []byte {
	b = append(b, "MTrk\x00\x00\x00\x00"...)
	start := len(b)
	var tick int64
	var status byte
	across := false
	for i := range t.Events {
		e := &t.Events[i]
		b = appendVLQ(b, e.Tick-tick, e.Pad)
		tick = e.Tick
		omit := e.How != Explicit && e.Status == status && (!across || e.How == RunningAcross)
		if !omit {
			b = append(b, e.Status)
		}
		switch {
		case e.Status == Meta:
			b = append(b, e.A)
			b = appendVLQ(b, int64(len(e.Payload)), e.LenPad)
			b = append(b, e.Payload...)
		case e.Status == SysEx || e.Status == Escape:
			b = appendVLQ(b, int64(len(e.Payload)), e.LenPad)
			b = append(b, e.Payload...)
		default:
			switch DataLen(e.Status) {
			case 2:
				b = append(b, e.A, e.B)
			case 1:
				b = append(b, e.A)
			}
		}
		if e.IsChannel() {
			status, across = e.Status, false
		} else {
			across = true
		}
	}
	cut := 0
	if last {
		cut = int(t.End.Cut)
	}
	if !t.End.Missing {
		b = appendVLQ(b, max(t.End.Tick-tick, 0), t.End.Pad)
		b = append(b, Meta, EndTrack)
		b = appendVLQ(b, 0, t.End.LenPad)
		b = b[:len(b)-cut]
	}
	b = append(b, t.Tail...)
	binary.BigEndian.PutUint32(b[start-4:], uint32(len(b)-start+cut))
	return b
}
