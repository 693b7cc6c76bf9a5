package resource

import (
	"fmt"
	"os"
	"sync"

	"github.com/fcp-host/fcp-host/host/files"
)

// inputs are files for programs, each handed out once. It is safe for concurrent use.
type inputs struct {
	mu    sync.Mutex
	files map[string][]*os.File
}

func (in *inputs) add(name string, f *os.File) {
	if in.files == nil {
		in.files = map[string][]*os.File{}
	}
	in.files[name] = append(in.files[name], f)
}

func (in *inputs) take(name string) (*os.File, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	list := in.files[name]
	if len(list) == 0 {
		return nil, fmt.Errorf("no file is named %q here", name)
	}
	in.files[name] = list[1:]
	return list[0], nil
}

// close closes the files that nobody took.
func (in *inputs) close() {
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, list := range in.files {
		for _, f := range list {
			f.Close()
		}
	}
	in.files = nil
}

// Probes caches what ffprobe found. It is safe for concurrent use; a nil Probes caches nothing.
type Probes struct {
	mu    sync.Mutex
	found map[probe][]byte
	bytes int
}

// probe is the key of the cache: all that the answer depends on.
type probe struct {
	want, path string
	file       files.Identity
}

// maxProbes bounds the cache, in bytes. When it is exceeded, the whole cache is dropped.
const maxProbes = 16 << 20

func (p *Probes) of(key probe) ([]byte, bool) {
	if p == nil {
		return nil, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	data, ok := p.found[key]
	return data, ok
}

func (p *Probes) keep(key probe, data []byte) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bytes += len(data) + 512; p.found == nil || p.bytes > maxProbes {
		p.found, p.bytes = map[probe][]byte{}, len(data)+512
	}
	p.found[key] = data
}
