package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

var variant = regexp.MustCompile(`(?m)^Architecture-Variant:.*\n`)

// baselineDeb returns a Debian package without the field Architecture-Variant. goreleaser 2.15 sets it to say that a
// program runs on any amd64, which is unusual: if the index of a repository lacks the field, apt reinstalls the package
// again and again.
func baselineDeb(deb []byte) ([]byte, error) {
	const magic, head = "!<arch>\n", 60
	rest, ok := bytes.CutPrefix(deb, []byte(magic))
	out, found := []byte(magic), false
	for ok && len(rest) > 0 {
		if len(rest) < head {
			ok = false
			break
		}
		name := strings.TrimRight(string(rest[:16]), " /")
		size, err := strconv.Atoi(strings.TrimSpace(string(rest[48:58])))
		if err != nil || size < 0 || head+size > len(rest) {
			ok = false
			break
		}
		body := rest[head : head+size]
		if name == "control.tar.gz" {
			found = true
			if body, err = baselineControl(body); err != nil {
				return nil, err
			}
		}
		out = fmt.Appendf(out, "%s%-10d%s%s", rest[:48], len(body), rest[58:head], body)
		if len(body)%2 > 0 {
			out = append(out, '\n')
		}
		rest = rest[min(head+size+size%2, len(rest)):]
	}
	if !ok || !found {
		return nil, errors.New("the package is not as Debian's are")
	}
	return out, nil
}

func baselineControl(data []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		if strings.TrimPrefix(h.Name, "./") == "control" {
			text = variant.ReplaceAll(text, nil)
		}
		h.Size = int64(len(text))
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(text); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return gzipBytes(b.Bytes())
}
