package sandbox

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"unsafe"

	"github.com/tetratelabs/wazero"
)

// codeCache is wazero's compilation cache for one module, kept in one open file: an engine with it opens none. wazero has no way
// to hand it in: NewCompilationCacheWithDir keeps such a value in a field of its own, and there it is put.
type codeCache struct {
	file *os.File
	fill bool // whether the code is to be written, else read
}

// Get implements wazero's internal interface filecache.Cache, as do Add and Delete.
func (c *codeCache) Get([sha256.Size]byte) (io.ReadCloser, bool, error) {
	if c.fill {
		return nil, false, nil
	}
	return io.NopCloser(bufio.NewReaderSize(c.file, 64<<10)), true, nil
}

func (c *codeCache) Add(_ [sha256.Size]byte, code io.Reader) error {
	if !c.fill {
		return errors.New("the cached code was not used")
	}
	_, err := io.Copy(c.file, code)
	return err
}

func (c *codeCache) Delete([sha256.Size]byte) error {
	return errors.New("the cached code is of another version of the engine")
}

// compilationCache makes c wazero's. An error means that this wazero keeps its caches in another way.
func compilationCache(c *codeCache) (cache wazero.CompilationCache, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("wazero's cache is not as it was: %v", p)
		}
	}()
	cache = wazero.NewCompilationCache()
	field := reflect.ValueOf(cache).Elem().FieldByName("fileCache")
	reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem().Set(reflect.ValueOf(c))
	return cache, nil
}
