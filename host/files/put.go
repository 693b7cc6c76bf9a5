package files

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// maxPut is the largest file that is written to a server, in bytes: it is uploaded in one request.
const maxPut = 5 << 30

// UnsureError means that a write got no answer: the content may be that of Stamp, now or later, or the old one.
type UnsureError struct {
	Stamp Stamp
	Err   error
}

func (u *UnsureError) Error() string { return u.Err.Error() }
func (u *UnsureError) Unwrap() error { return u.Err }

// piece is what is written. All of it is available before the first byte is sent.
type piece struct {
	data io.ReadSeeker
	is   Stamp
	done func()
}

// gather reads from to its end.
func gather(from io.Reader, show string) (*piece, error) {
	data, ok := from.(*bytes.Reader)
	p := &piece{data: data, done: func() {}}
	if !ok {
		s, err := spool(show)
		if err != nil {
			return nil, err
		}
		p.done = s.Close
		if _, err := io.Copy(&bounded{s, maxPut, fmt.Errorf("%s cannot be written: it is larger than %d GiB, the most that an object store takes in one piece", show, maxPut>>30)}, from); err != nil {
			s.Close()
			return nil, err
		}
		p.data = io.NewSectionReader(s.f, 0, s.size)
	}
	sum := sha256.New()
	size, err := io.Copy(sum, p.data)
	if err != nil {
		p.done()
		return nil, fmt.Errorf("%s cannot be written: %w", show, Reason(err))
	}
	p.is = Stamp{Size: size, Sum: [sha256.Size]byte(sum.Sum(nil))}
	return p, nil
}

// put replaces version over by a piece.
func (m *mount) put(ctx context.Context, name string, p *piece, over string) error {
	if _, err := p.data.Seek(0, io.SeekStart); err != nil {
		return err
	}
	o, err := m.tree.Write(ctx, name, p.data, p.is, over)
	if err != nil {
		return err
	}
	m.remember(name, o.Version, p.is)
	m.noteSeen(name, identityOf(o))
	return nil
}

// write replaces a file if over allows its content. Each attempt is conditional on the version that was compared with
// over, so that only one of several concurrent writers succeeds. If the answer to an attempt is lost, the next
// comparison recognizes its content.
func (m *mount) write(call context.Context, name, show string, from io.Reader, over Over, backups *backups) (Stamp, error) {
	if name == "" {
		return Stamp{}, fmt.Errorf("%s is a folder", show)
	}
	p, err := gather(from, show)
	if err != nil {
		return Stamp{}, err
	}
	defer p.done()
	ctx, cancel := context.WithTimeout(call, m.patience(p.is.Size))
	defer cancel()
	failed := func(err error) error {
		return fmt.Errorf("%s cannot be written: %w", show, Reason(m.explainTimeout(call, ctx, err)))
	}
	if err := m.testConditions(ctx); err != nil {
		return Stamp{}, failed(err)
	}
	sent := false
	for range 8 {
		version, ok := m.replaces(name, over)
		if !ok || sent || backups != nil {
			var is Stamp
			if version, is, err = m.check(ctx, name, show, over, p.is); err != nil {
				if sent && !errors.Is(err, ErrChanged) && !errors.Is(err, ErrThere) {
					err = &UnsureError{p.is, failed(err)}
				}
				return Stamp{}, err
			}
			if version != "" && is == p.is && !over.Any {
				return p.is, nil // the content is what was to be written, perhaps by an earlier attempt
			}
			if version != "" && backups != nil {
				if err := m.backUp(ctx, name, version, backups); errors.Is(err, ErrVersion) {
					continue
				} else if err != nil {
					return Stamp{}, fmt.Errorf("%w; the file is as it was", failed(err))
				}
			}
		}
		err := m.put(ctx, name, p, version)
		sent = true
		switch {
		case err == nil:
			return p.is, nil
		case !errors.Is(err, ErrVersion):
			there, is, cerr := m.check(ctx, name, show, Over{Known: []Stamp{p.is}}, p.is)
			switch {
			case cerr == nil && there != "" && is == p.is:
				return p.is, nil
			case errors.As(err, new(*RefusedError)):
				return Stamp{}, failed(err)
			}
			return Stamp{}, &UnsureError{p.is, fmt.Errorf("%w; whether it holds the new content is not known, and the next save finds out", failed(err))}
		}
	}
	return Stamp{}, failed(ErrBusy)
}

// replaces returns the version that over allows to replace, if the cache knows it.
func (m *mount) replaces(name string, over Over) (version string, ok bool) {
	was, ok := m.known(name)
	return was.version, ok && !over.Any && slices.Contains(over.Known, was.stamp)
}

// maxTreeBackups is how many backups of a file there may be: finding a free name takes a request for each.
const maxTreeBackups = 100

// backUp copies a version to the backup that was made before, if that is unchanged, or else to a free name, like
// backups.keep. It fails with ErrVersion if the version is gone.
func (m *mount) backUp(ctx context.Context, name, version string, b *backups) error {
	s, err := spool(name)
	if err != nil {
		return err
	}
	defer s.Close()
	o, err := m.readWhole(ctx, name, func(o Object) (io.Writer, error) {
		if o.Version != version {
			return nil, ErrVersion
		}
		s.size = 0
		if _, err := s.f.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		return &bounded{s, maxPut, errors.New("its backup would be larger than what an object store takes in one piece")}, nil
	})
	if err != nil {
		return asVersionError(err)
	}
	p, err := gather(io.LimitReader(s.Reader(), o.Size), name)
	if err != nil {
		return err
	}
	defer p.done()
	file := m.url + "/" + name
	if last, ok := b.of(file); ok {
		version, is, err := m.check(ctx, last.rel, last.rel, Over{Known: []Stamp{last.stamp}}, Stamp{})
		if err == nil && is == last.stamp && version != "" {
			if err = m.put(ctx, last.rel, p, version); err == nil {
				b.made(file, backup{last.rel, p.is})
				return nil
			}
		}
		if err != nil && !errors.Is(err, ErrChanged) && !errors.Is(err, ErrVersion) {
			return fmt.Errorf("its backup: %w", err)
		}
	}
	for n := range maxTreeBackups {
		bak := name + ".bak"
		if n > 0 {
			bak += "." + strconv.Itoa(n)
		}
		switch _, err := m.stat(ctx, bak); {
		case err == nil:
			continue
		case !isGone(err):
			return fmt.Errorf("its backup: %w", err)
		}
		err := m.put(ctx, bak, p, "")
		if errors.Is(err, ErrVersion) {
			continue
		}
		if err != nil {
			return fmt.Errorf("its backup: %w", err)
		}
		b.made(file, backup{bak, p.is})
		return nil
	}
	return tooManyBackups(name, maxTreeBackups)
}
