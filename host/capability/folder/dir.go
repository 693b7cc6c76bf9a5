package folder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/fcp-host/fcp-host/host/files"
)

// descend opens the folder dir below at. It creates missing folders and calls made with each; if made is nil, it
// creates none.
func descend(at *os.Root, dir string, made func(dir string)) (*os.Root, error) {
	at, err := at.OpenRoot(".")
	if err != nil {
		return nil, files.Reason(err)
	}
	if dir == "." {
		return at, nil
	}
	sofar := ""
	for e := range strings.SplitSeq(dir, "/") {
		sofar = strings.TrimPrefix(sofar+"/"+e, "/")
		next, err := files.Enter(at, e)
		if errors.Is(err, fs.ErrNotExist) && made != nil {
			if err = at.Mkdir(e, 0o777); err == nil {
				made(sofar)
				next, err = files.Enter(at, e)
			}
		}
		at.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", sofar, files.Reason(err))
		}
		at = next
	}
	return at, nil
}

var errLarge = errors.New("too large")

// read returns a regular file of at most so many bytes, and its stamp: the zero stamp if the file changed during the
// read.
func read(at *os.Root, name string, most int64) (data []byte, s stamp, err error) {
	const tries = 3
	for range tries {
		data, s, err = readOnce(at, name, most)
		if !errors.Is(err, files.ErrSwapped) && (err != nil || s != stamp{}) {
			return data, s, err
		}
	}
	return data, s, err
}

func readOnce(at *os.Root, name string, most int64) ([]byte, stamp, error) {
	// Lstat before open: opening a FIFO would wait for a writer.
	info, err := at.Lstat(name)
	if err != nil {
		return nil, stamp{}, files.Reason(err)
	}
	if !info.Mode().IsRegular() {
		return nil, stamp{}, files.Irregular(info)
	}
	if info.Size() > most {
		return nil, stamp{}, errLarge
	}
	file, err := at.OpenFile(name, os.O_RDONLY|nonBlock, 0)
	if err != nil {
		return nil, stamp{}, files.Reason(err)
	}
	defer file.Close()
	opened, err := file.Stat()
	if err != nil {
		return nil, stamp{}, files.Reason(err)
	}
	if !os.SameFile(info, opened) {
		return nil, stamp{}, files.ErrSwapped
	}
	data := make([]byte, opened.Size(), opened.Size()+1)
	n, err := io.ReadFull(file, data[:cap(data)])
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, stamp{}, files.Reason(err)
	}
	after, err := file.Stat()
	if err != nil {
		return nil, stamp{}, files.Reason(err)
	}
	s := stampOf(after)
	if s != stampOf(opened) || n != len(data) {
		// Another process is writing: use what was read; without a stamp the next look compares the content.
		if after.Size() > most {
			return nil, stamp{}, errLarge
		}
		s = stamp{}
	}
	return data[:n:n], s, nil
}
