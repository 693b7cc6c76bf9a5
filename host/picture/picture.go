// Package picture checks the pictures that plugins return before a client or a browser decodes them.
package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"strings"

	"golang.org/x/image/webp"
)

// Limits of a picture that is sent to a client: sides in pixels, and pixels in all. A client that decodes it needs four
// bytes for each pixel.
const (
	maxSide   = 16_384
	maxPixels = 64_000_000
)

// Type returns the MIME type of a picture that may be sent to a client: a PNG, JPEG, GIF or WebP within the limits.
// It looks at the bytes, not at what the plugin says.
func Type(data []byte) (mime string, err error) {
	var decode func(io.Reader) (image.Config, error)
	has := func(offset int, magic string) bool {
		return len(data) >= offset && strings.HasPrefix(string(data[offset:min(len(data), offset+len(magic))]), magic)
	}
	switch {
	case has(0, "\x89PNG\r\n\x1a\n"):
		mime, decode = "image/png", png.DecodeConfig
	case has(0, "\xff\xd8\xff"):
		mime, decode = "image/jpeg", jpeg.DecodeConfig
	case has(0, "GIF87a"), has(0, "GIF89a"):
		mime, decode = "image/gif", gif.DecodeConfig
	case has(0, "RIFF") && has(8, "WEBP"):
		mime, decode = "image/webp", webp.DecodeConfig
	default:
		return "", errors.New("it is not a PNG, JPEG, GIF or WebP picture")
	}
	c, err := decode(bytes.NewReader(data))
	switch {
	case err != nil:
		return "", fmt.Errorf("its header as %s cannot be read", mime)
	case c.Width < 1 || c.Height < 1 || c.Width > maxSide || c.Height > maxSide || c.Width*c.Height > maxPixels:
		return "", fmt.Errorf("it has %dx%d pixels; a side may have 1 to %d, and all together %d million", c.Width, c.Height, maxSide, maxPixels/1_000_000)
	}
	return mime, nil
}
