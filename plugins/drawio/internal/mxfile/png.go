package mxfile

import (
	"compress/flate"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/xmltree"
)

// pngMark is the start of every PNG file.
const pngMark = "\x89PNG\r\n\x1a\n"

// openPNG reads the file that a PNG picture holds in a text chunk before its pixels, as draw.io's .drawio.png files do.
func openPNG(data string) (*File, error) {
	held, err := inPNG(data)
	if err != nil {
		return nil, err
	}
	f, err := Open([]byte(held))
	if err != nil {
		return nil, fmt.Errorf("in the picture: %w", err)
	}
	if f.picture != "" {
		return nil, fmt.Errorf("the picture holds another picture")
	}
	f.picture, f.held = data, held
	return f, nil
}

// inPNG returns the text of the PNG chunk that contains the diagram.
func inPNG(data string) (string, error) {
	for at := len(pngMark); at+12 <= len(data); {
		size := binary.BigEndian.Uint32([]byte(data[at:]))
		if int64(at)+12+int64(size) > int64(len(data)) {
			return "", fmt.Errorf("byte %d: the picture ends in the middle of a chunk", at)
		}
		kind, body := data[at+4:at+8], data[at+8:at+8+int(size)]
		key, text, _ := strings.Cut(body, "\x00")
		known := key == "mxfile" || key == "mxGraphModel"
		switch {
		case kind == "tEXt" && known:
			return inflate(strings.NewReader(text))
		case kind == "zTXt" && known && text != "": // the first byte is the method; draw.io writes DEFLATE without a header
			if plain, err := inflate(flate.NewReader(strings.NewReader(text[1:]))); err == nil {
				return strings.ReplaceAll(plain, "+", " "), nil
			}
			return inflate(flate.NewReader(strings.NewReader(text[min(3, len(text)):])))
		case kind == "IEND":
			at = len(data)
		}
		at += 12 + int(size)
	}
	return "", fmt.Errorf("the picture holds no diagram: it has no text chunk mxfile")
}

// InPNG returns a PNG picture that holds a file where draw.io looks for it.
func InPNG(picture []byte, file string) []byte {
	const head = len(pngMark) + 25 // after IHDR
	chunk := append([]byte("tEXtmxfile\x00"), percentEncode(file)...)
	out := append([]byte(nil), picture[:head]...)
	out = binary.BigEndian.AppendUint32(out, uint32(len(chunk)-4))
	out = append(out, chunk...)
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(chunk))
	return append(out, picture[head:]...)
}

// openPicture reads the file that an SVG picture holds in its content
// attribute, as draw.io's .drawio.svg files do.
func openPicture(root *xmltree.Element) (*File, error) {
	content, ok := root.Attr("content")
	if !ok {
		return nil, fmt.Errorf("byte %d: the picture holds no diagram: its <svg> has no content attribute", root.Start)
	}
	if strings.HasPrefix(strings.TrimLeft(content, blanks), "%3C") {
		plain, err := inflate(strings.NewReader(content))
		if err != nil {
			return nil, fmt.Errorf("in the picture's content attribute: %w", err)
		}
		content = plain
	}
	inner := strings.TrimLeft(content, blanks)
	if !strings.HasPrefix(inner, "<mxfile") && !strings.HasPrefix(inner, "<mxGraphModel") {
		return nil, fmt.Errorf("byte %d: the picture's content attribute holds no mxfile", root.Start)
	}
	f, err := Open([]byte(content))
	if err != nil {
		return nil, fmt.Errorf("in the picture's content attribute: %w", err)
	}
	f.picture, f.held = root.Source(), content
	return f, nil
}

// Picture returns the SVG or PNG picture that contained the file, "" for none, and the diagram in it. Saving must put
// the file into a picture again.
func (f *File) Picture() (picture, holds string) { return f.picture, f.held }

// InPixels reports whether the file was read from a PNG picture.
func (f *File) InPixels() bool { return strings.HasPrefix(f.picture, pngMark) }
