package picture

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"strings"
	"testing"
)

// pngOf returns the header of a PNG with these sides, without pixels.
func pngOf(width, height uint32) []byte {
	head := binary.BigEndian.AppendUint32([]byte("IHDR"), width)
	head = append(binary.BigEndian.AppendUint32(head, height), 8, 2, 0, 0, 0)
	b := append([]byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d"), head...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(head))
}

func TestAPicturesTypeIsReadFromItsBytesAndItsSizeIsLimited(t *testing.T) {
	square := image.NewPaletted(image.Rect(0, 0, 3, 2), color.Palette{color.Black, color.White})
	var asPNG, asJPEG, asGIF bytes.Buffer
	for _, err := range []error{png.Encode(&asPNG, square), jpeg.Encode(&asJPEG, square, nil), gif.Encode(&asGIF, square, nil)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	asWebP := []byte("RIFF\x1a\x00\x00\x00WEBPVP8L\x0d\x00\x00\x00\x2f\x02\x40\x00\x00\x07\x10\x11\x11\x88\x88\xfe\x07\x00")
	for _, tt := range []struct {
		name string
		data []byte
		want string // a MIME type, or part of the reason
	}{
		{"a PNG", asPNG.Bytes(), "image/png"},
		{"a JPEG", asJPEG.Bytes(), "image/jpeg"},
		{"a GIF", asGIF.Bytes(), "image/gif"},
		{"a WebP", asWebP, "image/webp"},
		{"the largest side", pngOf(16_384, 3906), "image/png"},
		{"a side that is too long", pngOf(16_385, 1), "it has 16385x1 pixels"},
		{"sixty thousand squared", pngOf(60_000, 60_000), "it has 60000x60000 pixels"},
		{"more pixels than may be", pngOf(8001, 8000), "it has 8001x8000 pixels"},
		{"no pixels", pngOf(0, 1), "cannot be read"},
		{"a PNG cut off in its header", asPNG.Bytes()[:20], "cannot be read"},
		{"a GIF of no width", []byte("GIF89a\x00\x00\x01\x00\x00\x00\x00"), "it has 0x1 pixels"},
		{"a WebP that is none", []byte("RIFF\x00\x00\x00\x00WEBP"), "cannot be read"},
		{"SVG", []byte(`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`), "it is not a PNG"},
		{"HTML", []byte("<html>"), "it is not a PNG"},
		{"nothing", nil, "it is not a PNG"},
	} {
		mime, err := Type(tt.data)
		if err != nil {
			mime = err.Error()
		}
		if !strings.HasPrefix(mime, tt.want) && (err == nil || !strings.Contains(mime, tt.want)) {
			t.Errorf("%s: %q, want %q", tt.name, mime, tt.want)
		}
	}
}
