// Package sf2 reads parts of SoundFont 2 files: the names of the presets, the tables
// that describe them, and those samples that are asked for.
package sf2

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unicode/utf8"
)

// Font is a SoundFont.
type Font struct {
	Name    string // from its INAM chunk; may be empty
	Presets []Preset
	Path    string // as the user named the file
}

// Preset is an instrument of a font.
type Preset struct {
	Name    string
	Bank    int // 0-127, or 128 for percussion
	Program int // 0-127
}

// headerSize is the length of a preset header: a name of 20 bytes, program, bank, bag
// index (16 bits each), library, genre, morphology (32 bits each).
const headerSize = 38

// Error says why a file was refused.
type Error struct {
	Offset int // place in the file
	Reason string
}

func (e *Error) Error() string { return fmt.Sprintf("%s (at byte %d)", e.Reason, e.Offset) }

// A Source returns a stretch of a file, shorter at its end, and the size of the whole
// file.
type Source func(offset, length int) (data []byte, size int, err error)

// From makes a Source of a file that a call names, or has named before.
func From(h interface {
	ReadFile(name string, offset, length int) ([]byte, int, error)
}, path string) Source {
	return func(offset, length int) ([]byte, int, error) { return h.ReadFile(path, offset, length) }
}

// File is a SoundFont whose samples are still in its source.
type File struct {
	Font
	source  Source
	samples chunk // smpl, in bytes
	tables  []byte
}

// chunk is the place and size of a chunk's content.
type chunk struct{ at, size int }

// Parse reads a font that is completely in memory. An error is an *Error.
func Parse(data []byte) (*Font, error) {
	f, err := Read(func(offset, length int) ([]byte, int, error) {
		from := min(offset, len(data))
		return data[from:min(from+length, len(data))], len(data), nil
	})
	if err != nil {
		return nil, err
	}
	return &f.Font, nil
}

// Read reads a font without its samples. An error is an *Error, or the source's.
func Read(source Source) (*File, error) {
	r := &reader{source: source}
	head, err := r.get(0, 12)
	if err != nil {
		return nil, err
	}
	if len(head) < 12 || string(head[:4]) != "RIFF" || string(head[8:12]) != "sfbk" {
		return nil, &Error{0, "this is not a SoundFont 2: it does not start with RIFF and sfbk"}
	}
	f := &File{source: source}
	found := false
	err = r.chunks(12, r.size, func(id string, c chunk) error {
		if id != "LIST" || c.size < 4 {
			return nil
		}
		kind, err := r.get(c.at, 4)
		if err != nil {
			return err
		}
		return r.chunks(c.at+4, c.at+c.size, func(id string, c chunk) error {
			switch string(kind) + " " + id {
			case "INFO INAM":
				name, err := r.get(c.at, min(c.size, 256))
				f.Name = paddedText(name)
				return err
			case "sdta smpl":
				f.samples = c
			case "pdta phdr":
				found = true
				if err := f.table(r, id, c); err != nil {
					return err
				}
				f.Presets, err = presets(f.tables[len(f.tables)-c.size:], c.at)
				return err
			case "pdta pbag", "pdta pmod", "pdta pgen", "pdta inst", "pdta ibag", "pdta imod", "pdta igen", "pdta shdr":
				return f.table(r, id, c)
			}
			return nil
		})
	})
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, &Error{r.size, "the SoundFont has no preset headers (phdr): it is cut off or damaged"}
	}
	if len(f.Presets) == 0 {
		return nil, &Error{r.size, "the SoundFont has no presets"}
	}
	return f, nil
}

// maxTables limits the bytes read apart from the samples.
const maxTables = 32 << 20

// table keeps the content of a chunk that describes the samples.
func (f *File) table(r *reader, id string, c chunk) error {
	if len(f.tables)+c.size > maxTables {
		return &Error{c.at, fmt.Sprintf("its tables are larger than %d MiB", maxTables>>20)}
	}
	f.tables = append(f.tables, id...)
	f.tables = binary.LittleEndian.AppendUint32(f.tables, uint32(c.size))
	for at := 0; at < c.size; {
		data, err := r.get(c.at+at, min(c.size-at, piece))
		if err != nil {
			return err
		}
		if len(data) == 0 {
			return &Error{c.at + at, "the file is cut off"}
		}
		f.tables = append(f.tables, data...)
		at += len(data)
	}
	return nil
}

// Skeleton returns the font as a file of its own, with one silent sample in place of
// all samples.
func (f *File) Skeleton() []byte {
	list := func(id string, content []byte) []byte {
		b := binary.LittleEndian.AppendUint32([]byte("LIST"), uint32(len(content)+4))
		return append(append(b, id...), content...)
	}
	body := []byte("sfbk")
	body = append(body, list("INFO", []byte("ifil\x04\x00\x00\x00\x02\x00\x01\x00"))...)
	body = append(body, list("sdta", []byte("smpl\x02\x00\x00\x00\x00\x00"))...)
	body = append(body, list("pdta", f.tables)...)
	return append(binary.LittleEndian.AppendUint32([]byte("RIFF"), uint32(len(body))), body...)
}

// Samples returns the number of samples.
func (f *File) Samples() int { return f.samples.size / 2 }

// ReadSamples reads samples, starting with sample from.
func (f *File) ReadSamples(into []int16, from int) error {
	for len(into) > 0 {
		n := min(len(into), MaxRead/2)
		data, _, err := f.source(f.samples.at+2*from, 2*n)
		if err != nil {
			return err
		}
		if len(data) < 2*n || from+n > f.Samples() {
			return &Error{f.samples.at + 2*from, "the file is cut off among its samples"}
		}
		for i := range n {
			into[i] = int16(binary.LittleEndian.Uint16(data[2*i:]))
		}
		into, from = into[n:], from+n
	}
	return nil
}

// MaxRead is the longest stretch that is requested from a Source.
const MaxRead = 8 << 20

// piece is how much is read at once if less is needed.
const piece = 1 << 20

// reader buffers the last read, because the heads of chunks are short.
type reader struct {
	source Source
	size   int // of the file
	at     int
	window []byte
}

// get returns a stretch of at most a piece, shorter at the end of the file.
func (r *reader) get(at, n int) ([]byte, error) {
	if at < r.at || at+n > r.at+len(r.window) {
		data, size, err := r.source(at, max(n, 64<<10))
		if err != nil {
			return nil, err
		}
		r.at, r.window, r.size = at, data, size
	}
	from := min(at-r.at, len(r.window))
	return r.window[from:min(from+n, len(r.window))], nil
}

// chunks calls each for every chunk between at and end.
func (r *reader) chunks(at, end int, each func(id string, c chunk) error) error {
	for end-at >= 8 {
		head, err := r.get(at, 8)
		if err != nil {
			return err
		}
		if len(head) < 8 {
			return &Error{at, "the file is cut off"}
		}
		size := int(binary.LittleEndian.Uint32(head[4:]))
		if size > end-at-8 {
			return &Error{at, fmt.Sprintf("chunk %q says %d bytes, only %d are there: the file is cut off", head[:4], size, end-at-8)}
		}
		if err := each(string(head[:4]), chunk{at + 8, size}); err != nil {
			return err
		}
		at += 8 + size + size&1
	}
	return nil
}

// presets reads the preset headers. The last one only marks the end.
func presets(data []byte, at int) ([]Preset, error) {
	if n := len(data); n%headerSize != 0 || n == 0 {
		return nil, &Error{at, fmt.Sprintf("the preset headers are %d bytes, not a multiple of %d", n, headerSize)}
	}
	var out []Preset
	for ; len(data) > headerSize; data, at = data[headerSize:], at+headerSize {
		p := Preset{paddedText(data[:20]), int(binary.LittleEndian.Uint16(data[22:])), int(binary.LittleEndian.Uint16(data[20:]))}
		if p.Program > 127 || p.Bank > 128 {
			return nil, &Error{at, fmt.Sprintf("preset %q has program %d of bank %d; programs go to 127, banks to 128", p.Name, p.Program, p.Bank)}
		}
		out = append(out, p)
	}
	return out, nil
}

// paddedText decodes a padded string: up to its first zero, UTF-8 or else Latin-1, without
// control characters.
func paddedText(b []byte) string {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	valid := utf8.Valid(b)
	var out []rune
	for _, r := range string(b) {
		if !valid {
			break
		}
		if r >= ' ' && r != 0x7F {
			out = append(out, r)
		}
	}
	if !valid {
		for _, c := range b {
			if c >= ' ' && c != 0x7F {
				out = append(out, rune(c))
			}
		}
	}
	return string(bytes.TrimSpace([]byte(string(out))))
}
