package tree

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/vmihailenco/msgpack/v5"
	"golang.org/x/text/encoding/charmap"

	"github.com/fcp-host/fcp-host/pdk"
)

// container says how a file stores its text.
type container struct {
	Bytes   []byte `msgpack:"b,omitempty"` // the opened bytes, if they are not the text itself
	Zipped  bool   `msgpack:"z,omitempty"`
	Charset string `msgpack:"c,omitempty"` // "" for UTF-8
}

// Open reads a file: its text, possibly compressed by gzip.
func Open(name string, data []byte) (*Doc, error) {
	box := container{}
	raw := data
	if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		var err error
		if raw, err = unzip(data); err != nil {
			return nil, fmt.Errorf("the file is compressed and cannot be read: %w", err)
		}
		box.Zipped = true
	}
	if len(raw) > MaxBytes {
		return nil, fmt.Errorf("the file's text is larger than %d MiB", MaxBytes>>20)
	}
	box.Charset = charset(raw)
	text, err := decode(raw, box.Charset)
	if err != nil {
		return nil, err
	}
	if box.Zipped || box.Charset != "" {
		box.Bytes = data
	}
	d := &Doc{Named: name, container: box, opened: text}
	if err := d.parse(text, nil); err != nil {
		return nil, err
	}
	return d, nil
}

func unzip(data []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(r, MaxBytes+1))
}

// Bytes returns the file: exactly the opened bytes if the text is unchanged. The file
// is compressed if the opened one was.
func (d *Doc) Bytes() ([]byte, error) { return d.bytes(d.container.Zipped) }

// BytesAs returns the file for a name. A file whose name ends in .svgz is compressed,
// others are not. If the name has the extension of the opened file, the file stays as
// it was: compressed or not.
func (d *Doc) BytesAs(name string) ([]byte, error) {
	ext := strings.ToLower(path.Ext(name))
	if d.Named != "" && ext == strings.ToLower(path.Ext(d.Named)) {
		return d.Bytes()
	}
	return d.bytes(ext == ".svgz")
}

func (d *Doc) bytes(zipped bool) ([]byte, error) {
	text := d.Text()
	if d.container.Bytes != nil && zipped == d.container.Zipped && text == d.opened {
		return d.container.Bytes, nil
	}
	data, err := encode(text, d.container.Charset)
	if err != nil || !zipped {
		return data, err
	}
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	return b.Bytes(), err
}

// declared matches the encoding in an XML declaration.
var declared = pdk.Regexp(`^<\?xml[^>]*\sencoding\s*=\s*["']([A-Za-z0-9._-]+)["']`)

// charset returns the encoding of a file's bytes, "" for UTF-8.
func charset(raw []byte) string {
	switch {
	case bytes.HasPrefix(raw, []byte{0xff, 0xfe}):
		return "utf-16le"
	case bytes.HasPrefix(raw, []byte{0xfe, 0xff}):
		return "utf-16be"
	}
	if m := declared().FindSubmatch(raw[:min(len(raw), 200)]); m != nil {
		if name := strings.ToLower(string(m[1])); name != "utf-8" && name != "utf8" && name != "us-ascii" {
			return name
		}
	}
	return ""
}

// charmaps holds the supported encodings with one byte per character.
var charmaps = map[string]*charmap.Charmap{
	"iso-8859-1": charmap.ISO8859_1, "latin1": charmap.ISO8859_1, "iso-8859-2": charmap.ISO8859_2, "iso-8859-5": charmap.ISO8859_5, "iso-8859-15": charmap.ISO8859_15,
	"windows-1250": charmap.Windows1250, "windows-1251": charmap.Windows1251, "windows-1252": charmap.Windows1252, "koi8-r": charmap.KOI8R,
}

func decode(raw []byte, charset string) (string, error) {
	switch charset {
	case "":
		return string(raw), nil
	case "utf-16le", "utf-16be":
		units := make([]uint16, len(raw)/2)
		for i := range units {
			units[i] = uint16(raw[2*i]) | uint16(raw[2*i+1])<<8
			if charset == "utf-16be" {
				units[i] = uint16(raw[2*i+1]) | uint16(raw[2*i])<<8
			}
		}
		text := string(utf16.Decode(units))
		if again, _ := encode(text, charset); !bytes.Equal(again, raw) {
			return "", errors.New("the file is not valid UTF-16")
		}
		return text, nil
	}
	table := charmaps[charset]
	if table == nil {
		return "", fmt.Errorf("the encoding %s of the file is not supported; save the file as UTF-8", charset)
	}
	var b strings.Builder
	for _, c := range raw {
		r := table.DecodeByte(c)
		if back, ok := table.EncodeRune(r); !ok || back != c {
			return "", fmt.Errorf("the file is not valid %s", charset)
		}
		b.WriteRune(r)
	}
	return b.String(), nil
}

// encode writes text in an encoding. It writes characters that the encoding lacks as
// references.
func encode(text, charset string) ([]byte, error) {
	table := charmaps[charset]
	switch {
	case charset == "":
		return []byte(text), nil
	case table == nil:
		out := make([]byte, 0, 2*len(text))
		for _, u := range utf16.Encode([]rune(text)) {
			lo, hi := byte(u), byte(u>>8)
			if charset == "utf-16be" {
				lo, hi = hi, lo
			}
			out = append(out, lo, hi)
		}
		return out, nil
	}
	out := make([]byte, 0, len(text))
	for _, r := range text {
		if c, ok := table.EncodeRune(r); ok {
			out = append(out, c)
		} else {
			out = append(out, "&#"+strconv.Itoa(int(r))+";"...)
		}
	}
	return out, nil
}

// snapshot holds a document with its keys.
type snapshot struct {
	Named  string    `msgpack:"f"`
	Text   string    `msgpack:"t"`
	Keys   []int     `msgpack:"k"` // in document order, each as the difference from the one before, so that they are small
	Next   int       `msgpack:"n"`
	Box    container `msgpack:"c"`
	Opened string    `msgpack:"o,omitempty"` // if it differs from Text
	Same   bool      `msgpack:"s,omitempty"` // Opened equals Text
}

// Snapshot encodes the document with the keys of its nodes.
func (d *Doc) Snapshot() ([]byte, error) {
	s := snapshot{Named: d.Named, Text: d.Text(), Next: d.next, Box: d.container}
	if d.container.Bytes != nil {
		if s.Same = d.opened == s.Text; !s.Same {
			s.Opened = d.opened
		}
	}
	last := 0
	for n := range d.Root.All() {
		s.Keys = append(s.Keys, n.Key-last)
		last = n.Key
	}
	var b bytes.Buffer
	enc := msgpack.NewEncoder(&b)
	enc.UseCompactInts(true)
	err := enc.Encode(&s)
	return b.Bytes(), err
}

// Restore reads a snapshot.
func Restore(data []byte) (*Doc, error) {
	var s snapshot
	if err := msgpack.Unmarshal(data, &s); err != nil {
		return nil, err
	}
	last := 0
	for i := range s.Keys {
		s.Keys[i] += last
		last = s.Keys[i]
		if last < 1 || last >= s.Next {
			return nil, fmt.Errorf("the snapshot has the key %d", last)
		}
	}
	d := &Doc{Named: s.Named, container: s.Box, opened: s.Opened}
	if s.Same {
		d.opened = s.Text
	}
	if err := d.parse(s.Text, append(s.Keys, make([]int, 1)...)); err != nil {
		return nil, err
	}
	d.next = s.Next
	return d, nil
}
