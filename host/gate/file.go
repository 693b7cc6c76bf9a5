package gate

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

var errNotRegular = errors.New("it is not a regular file")

// maxFile is the maximum size of files that the gate reads, in bytes.
const maxFile = 1 << 20

// readFile reads a regular file of at most maxFile bytes, unless fit refuses it. It never blocks, even if there is a
// FIFO at path.
func readFile(path string, fit func(fs.FileInfo) error) ([]byte, error) {
	f, err := openRegular(path, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err == nil {
		err = fit(info)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s: it is larger than %d MiB", path, maxFile>>20)
	}
	return data, err
}

// openRegular opens a regular file. It does not open devices even briefly.
func openRegular(path string, flag int) (*os.File, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: %w", path, errNotRegular)
	}
	f, err := os.OpenFile(path, flag|nonBlock, 0o600)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() { // replaced in between
		err = fmt.Errorf("%s: %w", path, errNotRegular)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// OpenAudit opens a file for appending the audit log: a regular file or the null device, since writing a line must
// never wait for a reader.
func OpenAudit(path string) (*os.File, error) {
	null, err := os.Stat(os.DevNull)
	if info, serr := os.Stat(path); err == nil && serr == nil && os.SameFile(info, null) {
		return os.OpenFile(path, os.O_WRONLY, 0)
	}
	return openRegular(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE)
}
