package files

import (
	"errors"
	"io/fs"
	"time"
)

func (m *mount) quiet() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return time.Now().Before(m.silent)
}

// failed records that the server did not answer. A refusal is an answer.
func (m *mount) failed(err error) {
	if !errors.As(err, new(*RefusedError)) {
		m.hush()
	}
}

func (m *mount) hush() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.silent = time.Now().Add(fresh)
}

func (m *mount) saw(name string, is Identity) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.seen == nil || len(m.seen) >= maxStamps {
		m.seen = map[string]seen{}
	}
	m.seen[name] = seen{is, time.Now()}
}

func isGone(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// gone converts "does not exist" to ErrVersion, for a file that existed.
func gone(err error) error {
	if isGone(err) {
		return ErrVersion
	}
	return err
}
