package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"io"
	"os"
	"strings"
	"time"
)

// entry is a file or folder of an archive. Equal entries give equal bytes.
type entry struct {
	name    string // with slashes; a folder's name ends in one
	mode    os.FileMode
	content []byte
	owner   int // user and group, in tar
}

// writeTar writes entries in order.
func writeTar(w io.Writer, at time.Time, entries []entry) error {
	t := tar.NewWriter(w)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Mode: int64(e.mode.Perm()), Size: int64(len(e.content)), ModTime: at, Uid: e.owner, Gid: e.owner,
			Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
		if strings.HasSuffix(e.name, "/") {
			h.Typeflag = tar.TypeDir
		}
		if e.mode&os.ModeSticky != 0 {
			h.Mode |= 0o1000
		}
		if err := t.WriteHeader(h); err != nil {
			return err
		}
		if _, err := t.Write(e.content); err != nil {
			return err
		}
	}
	return t.Close()
}

// gzipBytes returns data, compressed by gzip.
func gzipBytes(data []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := z.Write(data); err != nil {
		return nil, err
	}
	err = z.Close()
	return b.Bytes(), err
}

// tarGz returns a compressed tar of entries.
func tarGz(at time.Time, entries []entry) ([]byte, error) {
	var b bytes.Buffer
	if err := writeTar(&b, at, entries); err != nil {
		return nil, err
	}
	return gzipBytes(b.Bytes())
}

// writeZip writes entries in order, with their modes.
func writeZip(w io.Writer, at time.Time, entries []entry) error {
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestCompression) })
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Modified: at}
		h.SetMode(e.mode)
		f, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := f.Write(e.content); err != nil {
			return err
		}
	}
	return z.Close()
}
