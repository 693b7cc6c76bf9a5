package files

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
)

// testConditions tests once whether the server honours conditional writes: with a server that ignores them a save could destroy
// another client's changes. It leaves nothing behind.
func (m *mount) testConditions(ctx context.Context) error {
	m.proving.Lock()
	defer m.proving.Unlock()
	if m.conditional {
		return nil
	}
	name := ".fcp-host-" + strings.ToLower(rand.Text())
	write := func(text, over string) (o Object, err error) {
		err = m.within(ctx, func(ctx context.Context) error {
			o, err = m.tree.Write(ctx, name, strings.NewReader(text), stampOf([]byte(text)), over)
			return err
		})
		return o, err
	}
	first, err := write("1", "")
	if errors.Is(err, ErrVersion) { // a retry met its own first write
		if o, serr := m.stat(ctx, name); serr == nil {
			first, err = o, nil
		}
	}
	if err != nil {
		return err
	}
	defer m.within(ctx, func(ctx context.Context) error { return m.tree.Remove(ctx, name) }) // the name shows what it is, in case this fails
	if _, err := write("2", ""); !errors.Is(err, ErrVersion) {
		return unconditional(err)
	}
	if _, err := write("3", first.Version+"0"); !errors.Is(err, ErrVersion) {
		return unconditional(err)
	}
	m.conditional = true
	return nil
}

func unconditional(err error) error {
	if err != nil {
		return err
	}
	return errors.New("the object store ignores the conditions of writes (If-Match, If-None-Match), so that a save could destroy what somebody else has written")
}
