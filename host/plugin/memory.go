package plugin

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// memory caches what earlier starts learned of a module, in files named by its sha256: its manifest as the module
// encoded it, or why it cannot be served. Each file starts with the sha256 of the rest. memory never fails: without a
// usable folder it is empty.
type memory struct {
	dir string // "" for none
	log *slog.Logger
}

const (
	manifestFile = ".manifest"
	failureFile  = ".failure"
)

// Remembered returns the manifest that an earlier start cached in this folder for the module with this sha256, or nil.
func Remembered(cache, sum string) *abi.Manifest {
	return memory{cacheDir(cache, "manifests"), slog.New(slog.DiscardHandler)}.manifest(sum)
}

// manifest returns the cached manifest of the module with this sha256, or nil.
func (m memory) manifest(sum string) *abi.Manifest {
	data := m.get(sum + manifestFile)
	if data == nil {
		return nil
	}
	manifest, err := domain.DecodeManifest(data)
	if err != nil {
		m.forget(sum + manifestFile)
		return nil
	}
	return manifest
}

// failure returns why the module with this sha256 failed under the same conditions, or "".
func (m memory) failure(sum, conditions string) string {
	was, why, _ := strings.Cut(string(m.get(sum+failureFile)), "\n")
	if was != conditions {
		return ""
	}
	return why
}

// putFailure records why a module failed.
func (m memory) putFailure(sum, conditions, why string) {
	m.put(sum+failureFile, []byte(conditions+"\n"+why))
}

func (m memory) get(name string) []byte {
	if m.dir == "" || !private(m.dir) {
		return nil
	}
	file, err := os.ReadFile(filepath.Join(m.dir, name))
	if err != nil {
		return nil
	}
	if len(file) >= sha256.Size {
		sum, data := file[:sha256.Size], file[sha256.Size:]
		if real := sha256.Sum256(data); bytes.Equal(sum, real[:]) {
			return data
		}
	}
	m.log.Warn("damaged file in the cache, asking the plugin again", "file", filepath.Join(m.dir, name))
	m.forget(name)
	return nil
}

func (m memory) put(name string, data []byte) {
	if m.dir == "" {
		return
	}
	err := os.MkdirAll(m.dir, 0o700)
	if err == nil && !private(m.dir) {
		err = errors.New("the folder is open to other users")
	}
	if err == nil {
		err = write(m.dir, name, data)
	}
	if err != nil {
		m.log.Warn("the manifests of plugins are not cached", "folder", m.dir, "error", err)
	}
}

// write writes data with its sha256 to a file in dir, atomically.
func write(dir, name string, data []byte) error {
	sum := sha256.Sum256(data)
	f, err := os.CreateTemp(dir, "tmp-*")
	if err != nil {
		return err
	}
	_, err = f.Write(append(sum[:], data...))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, name))
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

func (m memory) forget(name string) {
	if m.dir == "" {
		return
	}
	if err := os.Remove(filepath.Join(m.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		m.log.Warn("a file of the cache cannot be removed", "error", err)
	}
}

// conditions returns one line with everything besides the module that decides whether it fails: this binary, the
// limits, and the required confinement.
func conditions(limits sandbox.Limits, require sandbox.Requirement) string {
	return fmt.Sprintf("%s %+v %d", binary(), limits, require)
}

// binary identifies this build of the host with its engine: two development builds may have the same version.
var binary = sync.OnceValue(func() string {
	exe, err := os.Executable()
	if err != nil {
		return ""
	}
	info, err := os.Stat(exe)
	if err != nil {
		return ""
	}
	return fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano())
})
