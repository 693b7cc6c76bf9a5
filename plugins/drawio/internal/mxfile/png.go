package mxfile

import (
	"compress/flate"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"
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
