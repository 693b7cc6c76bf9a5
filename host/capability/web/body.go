package web

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
)

// MaxBody bounds a body, in bytes: one that is sent, and one that is answered
// after it was decompressed.
const MaxBody = 8 << 20

// gzipSlack is by how much gzip makes larger what it cannot compress, and then some.
const gzipSlack = 64 << 10

// tooLarge is what exceeds a limit.
type tooLarge struct{ error }

// readBody reads a body to its end or the limit. What comes compressed is
// bounded before and after: empty gzip members make no output, however many.
func readBody(resp *http.Response, room *Room) ([]byte, error) {
	var encoded bool
	switch enc := strings.ToLower(strings.Join(resp.Header["Content-Encoding"], ",")); enc {
	case "", "identity":
	case "gzip":
		encoded = true
	default:
		return nil, fmt.Errorf("Content-Encoding %s, where gzip was offered", quote(enc))
	}
	if !encoded {
		if resp.ContentLength > MaxBody {
			return nil, errLarge
		}
		return readAll(resp.Body, room)
	}
	raw := bufio.NewReader(&bounded{Reader: resp.Body, left: MaxBody + gzipSlack})
	if _, err := raw.Peek(1); err == io.EOF {
		return nil, nil // as an answer without content has it
	}
	z, err := gzip.NewReader(raw)
	if err != nil {
		return nil, err
	}
	return readAll(z, room)
}

var errLarge = tooLarge{fmt.Errorf("more than %d MiB", MaxBody>>20)}

// readAll takes memory as bytes come, and not as a length claims.
func readAll(r io.Reader, room *Room) ([]byte, error) {
	return io.ReadAll(&bounded{Reader: r, left: MaxBody, room: room})
}

// Room is what the bodies of several answers may take together. A nil Room is boundless.
type Room struct {
	mu         sync.Mutex
	size, left int
}

// NewRoom makes room for so many bytes.
func NewRoom(size int) *Room { return &Room{size: size, left: size} }

// Take takes n bytes more for an answer that holds some. When they are too
// many it fails and gives back what the answer held, in one step: of answers
// that come side by side, as many are whole as fit.
func (r *Room) Take(held, n int) error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if n > r.left {
		r.left += held
		return tooLarge{fmt.Errorf("more than is left of the %d MiB that the requests of one round may give together", r.size>>20)}
	}
	r.left -= n
	return nil
}

// bounded fails with errLarge when there is more than left, or more than the room holds.
type bounded struct {
	io.Reader
	left int64
	room *Room
	held int // of the room
}

func (b *bounded) Read(p []byte) (int, error) {
	if int64(len(p)) > b.left+1 {
		p = p[:b.left+1]
	}
	n, err := b.Reader.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, errLarge
	}
	if err := b.room.Take(b.held, n); err != nil {
		return 0, err
	}
	b.held += n
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errCut
	}
	return n, err
}

var errCut = errors.New("the connection ended before the answer did")
