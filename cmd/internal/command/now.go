package command

import (
	"encoding/binary"
	"fmt"
	"sync/atomic"
	"time"
)

// fixedClock gives each call the same time, and a nonce that counts calls.
func fixedClock(at string) (func() (int, []byte), error) {
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return nil, fmt.Errorf("%q is not a time such as 2026-01-02T10:30:00Z", at)
	}
	var calls atomic.Uint64
	return func() (int, []byte) {
		return int(t.UnixMilli()), binary.BigEndian.AppendUint64(make([]byte, 8), calls.Add(1))
	}, nil
}
