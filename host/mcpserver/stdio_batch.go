package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/fcp-host/fcp-host/host/timing"
)

// batch is a JSON-RPC batch, which is answered by one message. Only revision 2025-03-26 of MCP has batches.
type batch struct {
	mu      sync.Mutex
	left    int // messages without an answer
	answers [][]byte
}

type batchKey struct{}

// batchOf returns the batch of a message, or nil.
func batchOf(ctx context.Context) *batch {
	b, _ := ctx.Value(batchKey{}).(*batch)
	return b
}

// takeBatch dispatches the messages of a batch.
func (c *conn) takeBatch(ctx context.Context, line []byte) {
	var list []json.RawMessage
	if json.Unmarshal(line, &list) != nil || len(list) == 0 {
		c.answer(ctx, nil, line)
		return
	}
	b := &batch{left: len(list)}
	for _, message := range list {
		ctx := context.WithValue(ctx, batchKey{}, b)
		if calls := c.dispatch(timing.With(ctx, timing.Start(c.s.log, len(message)).SetPiped()), message); calls != nil {
			go calls()
		}
	}
}

// add takes the answer to one message, nil for none, and returns the answer to the batch after the last one.
func (b *batch) add(answer []byte) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	if answer != nil {
		b.answers = append(b.answers, bytes.TrimSpace(answer))
	}
	if b.left--; b.left > 0 || len(b.answers) == 0 {
		return nil
	}
	return slices.Concat([]byte("["), bytes.Join(b.answers, []byte(",")), []byte("]\n"))
}
