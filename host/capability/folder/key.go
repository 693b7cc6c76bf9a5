package folder

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fcp-host/fcp-host/host/files"
)

const keySize = 32 // bytes

// ReadKey returns the key in the file at path, which only this user can read. It makes the file, and its folder, if there is none.
func ReadKey(path string) ([]byte, error) {
	key, err := readKey(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("the key of folders: %w", err)
	}
	made, err := os.CreateTemp(dir, filepath.Base(path)+"-*") // mode 0600
	if err != nil {
		return nil, fmt.Errorf("the key of folders: %w", err)
	}
	defer os.Remove(made.Name())
	_, err = made.Write(newKey())
	if err = errors.Join(err, made.Sync(), made.Close()); err != nil {
		return nil, fmt.Errorf("the key of folders: %w", err)
	}
	// A link, and not a rename: another host may have made the file meanwhile, and its key is in use.
	if err := os.Link(made.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, fmt.Errorf("the key of folders: %w", err)
	}
	return readKey(path)
}

func readKey(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the key of folders: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil {
		err = files.CheckPrivate(info)
	}
	if err == nil && info.Size() != keySize {
		err = fmt.Errorf("it has %d bytes, not %d", info.Size(), keySize)
	}
	key := make([]byte, keySize)
	if err == nil {
		_, err = file.ReadAt(key, 0)
	}
	if err != nil {
		return nil, fmt.Errorf("the key of folders, %s: %w", path, err)
	}
	return key, nil
}

// newKey returns a random key.
func newKey() []byte {
	key := make([]byte, keySize)
	rand.Read(key)
	return key
}
