package notation

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"path"
	"strings"
	"unicode/utf16"

	"github.com/fcp-host/fcp-host/pdk/xmltree"
)

// maxXML is how many bytes a score may have after unpacking. Its parsed tree takes
// about twenty times as much, and a guest has 256 MiB.
const maxXML = 10 << 20

// unpack returns the score in a compressed one (.mxl): the file that the container
// names, or else the first XML file.
func unpack(data []byte) (string, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return "", fmt.Errorf("it is not a compressed score: %w", err)
	}
	want := ""
	for _, f := range z.File {
		if f.Name != "META-INF/container.xml" {
			continue
		}
		text, err := inflate(f, 64<<10)
		if err != nil {
			return "", err
		}
		root, err := xmltree.Parse(decodeText(text))
		if err != nil {
			return "", fmt.Errorf("its META-INF/container.xml: %w", err)
		}
		if files := root.Child("rootfiles"); files != nil && files.Child("rootfile") != nil {
			want, _ = files.Child("rootfile").Attr("full-path")
		}
	}
	for _, f := range z.File {
		xml := strings.EqualFold(path.Ext(f.Name), ".xml") || strings.EqualFold(path.Ext(f.Name), ".musicxml")
		if f.Name == want || want == "" && xml && !strings.HasPrefix(f.Name, "META-INF/") {
			text, err := inflate(f, maxXML)
			return decodeText(text), err
		}
	}
	if want != "" {
		return "", fmt.Errorf("it names a score %s, which is not in it", want)
	}
	return "", fmt.Errorf("there is no score in it")
}

// inflate reads a file of a zip, up to most bytes. It does not trust the size that the
// zip states.
func inflate(f *zip.File, most int) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%s in it: %w", f.Name, err)
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, int64(most)+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s in it: %w", f.Name, err)
	case len(data) > most:
		return nil, fmt.Errorf("%s in it is larger than %d KiB when it is unpacked", f.Name, most>>10)
	}
	return data, nil
}

// decodeText returns a file's text as UTF-8 without a byte order mark: notation
// programs also write UTF-16.
func decodeText(data []byte) string {
	big := bytes.HasPrefix(data, []byte{0xFE, 0xFF})
	if !big && !bytes.HasPrefix(data, []byte{0xFF, 0xFE}) {
		return string(bytes.TrimPrefix(data, []byte("\xEF\xBB\xBF")))
	}
	units := make([]uint16, len(data)/2-1)
	for i := range units {
		a, b := data[2*i+2], data[2*i+3]
		if big {
			a, b = b, a
		}
		units[i] = uint16(b)<<8 | uint16(a)
	}
	return strings.Replace(string(utf16.Decode(units)), `encoding="UTF-16"`, `encoding="UTF-8"`, 1)
}
