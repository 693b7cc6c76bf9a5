package mxfile

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
)

// MaxPage limits the text of a page after inflating, in bytes.
const MaxPage = 32 << 20

var errTooLarge = fmt.Errorf("the page is larger than %d MiB when inflated", MaxPage>>20)

// Unpack decodes text that draw.io compressed like a page.
func Unpack(packed string) (string, error) { return unpack(packed) }

// unpack decodes a compressed page: base64 of raw DEFLATE of percent-encoded text. White space around and inside the
// base64 is allowed.
func unpack(packed string) (string, error) {
	raw, err := base64.StdEncoding.DecodeString(strings.Map(func(r rune) rune {
		if r == ' ' || r == '\n' || r == '\r' || r == '\t' {
			return -1
		}
		return r
	}, packed))
	if err != nil {
		return "", fmt.Errorf("the page is neither XML nor base64: %w", err)
	}
	return inflate(flate.NewReader(bytes.NewReader(raw)))
}

// inflate decodes percent-encoded text while it reads, so that it never holds more than MaxPage bytes.
func inflate(in io.Reader) (string, error) {
	var b strings.Builder
	var escape []byte // an unfinished %XX
	buf := make([]byte, 32<<10)
	for {
		n, err := in.Read(buf)
		for _, c := range buf[:n] {
			switch {
			case len(escape) == 0 && c != '%':
				b.WriteByte(c)
			case len(escape) < 2:
				escape = append(escape, c)
			default:
				hi, lo := unhex(escape[1]), unhex(c)
				if hi > 15 || lo > 15 {
					return "", errPercent
				}
				b.WriteByte(hi<<4 | lo)
				escape = escape[:0]
			}
		}
		if b.Len() > MaxPage {
			return "", errTooLarge
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return "", fmt.Errorf("the compressed data does not inflate: %w", err)
		}
	}
	if len(escape) > 0 {
		return "", errPercent
	}
	return b.String(), nil
}

// pack compresses text as draw.io does: encodeURIComponent, raw DEFLATE, base64. Equal texts give equal bytes.
func pack(text string) (string, error) {
	var b bytes.Buffer
	out, err := flate.NewWriter(&b, flate.DefaultCompression)
	if err != nil {
		return "", err
	}
	if _, err := out.Write(percentEncode(text)); err != nil {
		return "", err
	}
	if err := out.Close(); err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(b.Bytes()), nil
}

// percentEncode does the same as JavaScript's encodeURIComponent.
func percentEncode(s string) []byte {
	const hex = "0123456789ABCDEF"
	out := make([]byte, 0, len(s)+len(s)/2)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9',
			c == '-', c == '_', c == '.', c == '!', c == '~', c == '*', c == '\'', c == '(', c == ')':
			out = append(out, c)
		default:
			out = append(out, '%', hex[c>>4], hex[c&15])
		}
	}
	return out
}

var errPercent = errors.New("the content is not percent-encoded text")

func unhex(c byte) byte {
	switch {
	case c >= '0' && c <= '9':
		return c - '0'
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10
	}
	return 255
}

// sum returns a hash of a text (FNV-1a, with the length).
func sum(s string) uint64 {
	h := uint64(14695981039346656037) ^ uint64(len(s))
	for i := 0; i < len(s); i++ {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	return h
}
