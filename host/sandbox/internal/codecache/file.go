package codecache

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"unsafe"

	"github.com/fcp-host/fcp-host/host/sandbox/internal/memory"
	"github.com/fcp-host/fcp-host/host/sandbox/internal/module"
	"github.com/tetratelabs/wazero"
)

// File is wazero's compilation cache for one module, in one open file, so that an engine opens no files. wazero's API does not accept such
// a cache; WazeroCache puts it into the unexported field where NewCompilationCacheWithDir keeps its own.
//
// From the file's position on, the file holds, with little-endian numbers:
//
//	u32 length of the skeleton · skeleton · u32 length of the gap · gap · what wazero writes
//
// The gap aligns the native code to codePage, so that workers map it and share its memory instead of copying it.
type File struct {
	file *os.File
	fill bool // whether the code is to be written, else read
}

// NewFile returns the compilation cache in a file of Entry.Begin, which is written with fill, or of Entry.Open, which is read.
func NewFile(file *os.File, fill bool) *File { return &File{file: file, fill: fill} }

// Fills reports whether the file is written rather than read.
func (c *File) Fills() bool { return c.fill }

// codePage is the alignment of native code in bytes: a multiple of the page size of every system.
const codePage = 64 << 10

// Skeleton reads the skeleton and returns it. When the file is to be written, it skips the skeleton and returns nil. It must be called
// before the cache is used.
func (c *File) Skeleton() ([]byte, error) {
	var size [4]byte
	if _, err := io.ReadFull(c.file, size[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(size[:])
	if n > module.MaxSize {
		return nil, errors.New("its module is too large")
	}
	if c.fill {
		_, err := c.file.Seek(int64(n), io.SeekCurrent)
		return nil, err
	}
	wasm := memory.Buffer(int(n))
	_, err := io.ReadFull(c.file, wasm)
	return wasm, err
}

// Get implements wazero's internal interface filecache.Cache, as do Add and Delete.
func (c *File) Get([sha256.Size]byte) (io.ReadCloser, bool, error) {
	if c.fill {
		return nil, false, nil
	}
	var gap [4]byte
	if _, err := io.ReadFull(c.file, gap[:]); err != nil {
		return nil, false, err
	}
	at, err := c.file.Seek(int64(binary.LittleEndian.Uint32(gap[:])), io.SeekCurrent)
	if err != nil {
		return nil, false, err
	}
	return io.NopCloser(c.reader(at)), true, nil
}

// reader reads from the file's position, which must be at.
func (c *File) reader(at int64) *codeReader {
	return &codeReader{file: c.file, buf: bufio.NewReaderSize(c.file, codePage), at: at}
}

func (c *File) Add(_ [sha256.Size]byte, code io.Reader) error {
	if !c.fill {
		return errors.New("the cached code was not used")
	}
	at, err := c.file.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	r := bufio.NewReader(code)
	gap := make([]byte, 4, 4+codePage)
	n := -(at + int64(len(gap)) + nativeCode(r)) & (codePage - 1)
	binary.LittleEndian.PutUint32(gap, uint32(n))
	if _, err := c.file.Write(gap[:4+n]); err != nil {
		return err
	}
	_, err = io.Copy(c.file, r)
	return err
}

// nativeRange returns where the native code of an entry begins and ends, in bytes.
func nativeRange(f *os.File) (from, to int64, err error) {
	var head [4]byte
	if _, err = f.ReadAt(head[:], checksumSize); err == nil {
		from = checksumSize + 4 + int64(binary.LittleEndian.Uint32(head[:]))
		_, err = f.ReadAt(head[:], from)
	}
	if err == nil {
		from += 4 + int64(binary.LittleEndian.Uint32(head[:]))
		from += nativeCode(bufio.NewReader(io.NewSectionReader(f, from, 1<<20)))
		var size [8]byte
		if _, err = f.ReadAt(size[:], from-8); err == nil {
			to = from + int64(binary.LittleEndian.Uint64(size[:]))
		}
	}
	if info, failure := f.Stat(); err != nil || failure != nil || to < from || to > info.Size() {
		return 0, 0, errors.New("it is cut short")
	}
	return from, to, nil
}

// nativeCode returns where the native code begins in what wazero writes: behind six bytes, wazero's version and a table of functions. If
// another version of wazero writes something else, the code is not aligned and workers copy it.
func nativeCode(r *bufio.Reader) int64 {
	head, _ := r.Peek(7)
	if len(head) < 7 {
		return 0
	}
	n := 7 + int(head[6]) + 4
	if head, _ = r.Peek(n); len(head) < n {
		return 0
	}
	return int64(n) + 8*int64(binary.LittleEndian.Uint32(head[n-4:])) + 8
}

// codeReader reads compiled code. wazero reads the length of the native code in 8 bytes and then that many bytes into a mapping of its own.
// Where the system can, codeReader maps the file in place of that second read. It must never map over other memory.
type codeReader struct {
	file  *os.File
	buf   *bufio.Reader
	at    int64  // the offset in the file of the next byte
	ahead uint64 // the number that the previous read returned, if it read 8 bytes, else 0
}

func (r *codeReader) Read(p []byte) (int, error) {
	if r.ahead == uint64(len(p)) {
		if n := mapCode(r.file, r.at, p); n > 0 {
			r.at, r.ahead = r.at+int64(n), 0
			_, err := r.file.Seek(r.at, io.SeekStart)
			r.buf.Reset(r.file)
			return n, err
		}
	}
	n, err := r.buf.Read(p)
	if n > 0 && n < len(p) && len(p) == 8 { // at the end of the buffer
		var more int
		more, err = io.ReadFull(r.buf, p[n:])
		n += more
	}
	r.at, r.ahead = r.at+int64(n), 0
	if n == 8 {
		r.ahead = binary.LittleEndian.Uint64(p)
	}
	return n, err
}

func (c *File) Delete([sha256.Size]byte) error {
	return errors.New("the cached code is of another version of the engine")
}

// WazeroCache returns a compilation cache for wazero that reads from or writes to the file. An error means that this version of
// wazero keeps its cache in another field.
func (c *File) WazeroCache() (cache wazero.CompilationCache, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("wazero's cache has changed: %v", p)
		}
	}()
	cache = wazero.NewCompilationCache()
	field := reflect.ValueOf(cache).Elem().FieldByName("fileCache")
	reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem().Set(reflect.ValueOf(c))
	return cache, nil
}
