package files

import (
	"errors"
	"io/fs"
	"time"
)

// isSilent reports whether the server did not answer a moment ago.
func (m *mount) isSilent() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return time.Now().Before(m.silent)
}

// noteFailure records that the server did not answer, unless err is a refusal, which is an answer.
func (m *mount) noteFailure(err error) {
	if !errors.As(err, new(*RefusedError)) {
		m.markSilent()
	}
}

// markSilent makes isSilent true for some time.
func (m *mount) markSilent() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.silent = time.Now().Add(fresh)
}

// noteSeen records what exists at a name now.
func (m *mount) noteSeen(name string, is Identity) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.seen == nil || len(m.seen) >= maxStamps {
		m.seen = map[string]seen{}
	}
	m.seen[name] = seen{is, time.Now()}
}

func isGone(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// asVersionError converts "does not exist" to ErrVersion, for a file that existed.
func asVersionError(err error) error {
	if isGone(err) {
		return ErrVersion
	}
	return err
}
