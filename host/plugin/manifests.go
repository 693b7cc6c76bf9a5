package plugin

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
)

// manifests caches what modules say of themselves, one file a module, named by
// the module's sha256: the sha256 of what follows, then the manifest as the
// module gave it. It never fails: without a usable folder it is empty.
type manifests struct {
	dir string // "" for no cache
	log *slog.Logger
}

func (c manifests) path(sum string) string { return filepath.Join(c.dir, sum+".manifest") }

func (c manifests) get(sum string) *abi.Manifest {
	if c.dir == "" || !private(c.dir) {
		return nil
	}
	data, err := os.ReadFile(c.path(sum))
	if err != nil {
		return nil
	}
	if m := unseal(data); m != nil {
		return m
	}
	c.log.Warn("damaged manifest in the cache, asking the plugin again", "file", c.path(sum))
	c.drop(sum)
	return nil
}

func unseal(data []byte) *abi.Manifest {
	if len(data) < sha256.Size {
		return nil
	}
	said, manifest := data[:sha256.Size], data[sha256.Size:]
	if real := sha256.Sum256(manifest); !bytes.Equal(said, real[:]) {
		return nil
	}
	m, err := domain.DecodeManifest(manifest)
	if err != nil {
		return nil
	}
	return m
}

func (c manifests) put(sum string, manifest []byte) {
	if c.dir == "" {
		return
	}
	err := os.MkdirAll(c.dir, 0o700)
	if err == nil && !private(c.dir) {
		err = errors.New("the folder is open to other users")
	}
	if err != nil {
		c.log.Warn("manifests are not cached", "folder", c.dir, "error", err)
		return
	}
	seal := sha256.Sum256(manifest)
	f, err := os.CreateTemp(c.dir, "tmp-*")
	if err != nil {
		c.log.Warn("manifests are not cached", "folder", c.dir, "error", err)
		return
	}
	_, err = f.Write(append(seal[:], manifest...))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(f.Name(), c.path(sum))
	}
	if err != nil {
		os.Remove(f.Name())
		c.log.Warn("a manifest is not cached", "error", err)
	}
}

func (c manifests) drop(sum string) {
	if err := os.Remove(c.path(sum)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.log.Warn("a damaged manifest cannot be removed", "error", err)
	}
}
