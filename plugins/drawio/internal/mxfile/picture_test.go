package mxfile

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
	"net/url"
	"strings"
	"testing"
)

const small = `<mxfile><diagram name="P 1"><mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/><mxCell id="2" value="50% + é" vertex="1" parent="1"><mxGeometry width="9" height="9" as="geometry"/></mxCell></root></mxGraphModel></diagram></mxfile>`

func dot(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// chunked returns a PNG with a chunk after its header.
func chunked(t testing.TB, kind, body string) []byte {
	t.Helper()
	plain := dot(t)
	chunk := []byte(kind + body)
	out := append([]byte(nil), plain[:33]...)
	out = binary.BigEndian.AppendUint32(out, uint32(len(body)))
	out = append(out, chunk...)
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(chunk))
	return append(out, plain[33:]...)
}

func TestAFileInPixelsIsReadHoweverItWasPacked(t *testing.T) {
	encoded := url.QueryEscape(small) // spaces as +, as draw.io's server writes them
	var raw, wrapped bytes.Buffer
	w, _ := flate.NewWriter(&raw, flate.BestSpeed)
	w.Write([]byte(encoded))
	w.Close()
	z := zlib.NewWriter(&wrapped)
	z.Write(percentEncode(small))
	z.Close()
	for name, picture := range map[string][]byte{
		"as we write it":     InPNG(dot(t), small),
		"plain":              chunked(t, "tEXt", "mxfile\x00"+string(percentEncode(small))),
		"compressed":         chunked(t, "zTXt", "mxGraphModel\x00\x00"+raw.String()),
		"compressed by rule": chunked(t, "zTXt", "mxfile\x00\x00"+wrapped.String()),
	} {
		f, err := Open(picture)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if c := f.Pages[0].Cell("2"); c == nil || c.Value != "50% + é" && name != "compressed" || !f.InPixels() {
			t.Errorf("%s: %+v", name, c)
		}
		if got, holds := f.Picture(); got != string(picture) || !strings.HasPrefix(holds, "<mxfile") {
			t.Errorf("%s: it holds %.40s", name, holds)
		}
		if _, err := png.Decode(bytes.NewReader(picture)); err != nil {
			t.Errorf("%s is not a picture any more: %v", name, err)
		}
	}
}

func TestAPictureWithoutAFileIsRefused(t *testing.T) {
	for want, picture := range map[string][]byte{
		"holds no diagram":    dot(t),
		"middle of a chunk":   InPNG(dot(t), small)[:60],
		"not a draw.io file":  InPNG(dot(t), "<html/>"),
		"not percent-encoded": chunked(t, "tEXt", "mxfile\x00%zz"),
		"does not inflate":    chunked(t, "zTXt", "mxfile\x00\x00nothing"),
		"another picture":     InPNG(dot(t), `<svg content="`+strings.NewReplacer("<", "&lt;", `"`, "&quot;", "%", "%25").Replace(small)+`"/>`),
		"no mxfile":           []byte(`<svg content="%3Chtml/>"/>`),
	} {
		if _, err := Open(picture); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestThePercentEncodedFileInAPictureIsRead(t *testing.T) {
	picture := `<svg xmlns="http://www.w3.org/2000/svg" content="` + string(percentEncode(small)) + `"/>`
	f, err := Open([]byte(picture))
	if err != nil || f.Pages[0].Cell("2") == nil {
		t.Fatal(err)
	}
	if got, holds := f.Picture(); got != picture || holds != small {
		t.Errorf("it holds %s", holds)
	}
}

func FuzzOpenPNG(f *testing.F) {
	f.Add(InPNG(dot(f), small))
	f.Add(chunked(f, "zTXt", "mxfile\x00\x00x"))
	f.Fuzz(func(t *testing.T, data []byte) { Open(append([]byte(pngMark), data...)) })
}
