package plugin

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// MaxFile is the size of the largest module that is read, in bytes.
const MaxFile = 32 << 20

// Read returns the bytes of a module: a regular file of at most MaxFile bytes.
func Read(path string) ([]byte, error) {
	// Stat before open: opening a FIFO would wait for a writer.
	info, err := os.Stat(path)
	if err != nil {
		return nil, files.Reason(err)
	}
	if info.IsDir() {
		return nil, errors.New("is a folder; --plugins takes folders")
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	if info.Size() > MaxFile {
		return nil, fmt.Errorf("larger than %d MiB", MaxFile>>20)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, files.Reason(err)
	}
	defer f.Close()
	data := sandbox.Buffer(int(info.Size()) + 1)[:0]
	buf := io.LimitReader(f, MaxFile+1)
	for {
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
		n, err := buf.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, files.Reason(err)
		}
	}
	if len(data) > MaxFile {
		return nil, fmt.Errorf("larger than %d MiB", MaxFile>>20)
	}
	return data, nil
}
