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

// MaxBody is the largest body in bytes: one that is sent, or a response's after decompression.
const MaxBody = 8 << 20

// gzipSlack is more than gzip can add to data that does not compress.
const gzipSlack = 64 << 10

// tooLarge means that something exceeds a limit.
type tooLarge struct{ error }

// readBody reads a body to its end or the limit. A compressed body is limited before and after decompression: empty
// gzip members decompress to nothing, however many there are.
func (c *Client) readBody(resp *http.Response, room *Room) ([]byte, error) {
	var encoded bool
	switch enc := c.redactor.Text(strings.Join(resp.Header["Content-Encoding"], ",")); strings.ToLower(enc) {
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
	if _, err := raw.Peek(1); errors.Is(err, io.EOF) {
		return nil, nil // a response without content may say so
	}
	z, err := gzip.NewReader(raw)
	if err != nil {
		return nil, err
	}
	return readAll(z, room)
}

var errLarge = tooLarge{fmt.Errorf("more than %d MiB", MaxBody>>20)}

// readAll allocates memory as bytes arrive, not as Content-Length claims.
func readAll(r io.Reader, room *Room) ([]byte, error) {
	return io.ReadAll(&bounded{Reader: r, left: MaxBody, room: room})
}

// Room is memory that the bodies of several responses share. A nil Room has no limit.
type Room struct {
	mu         sync.Mutex
	size, left int
}

// NewRoom returns a Room of so many bytes.
func NewRoom(size int) *Room { return &Room{size: size, left: size} }

// Take takes n more bytes for a response that holds some. If too few are left, it fails and gives back what the
// response held, in one step, so that as many concurrent responses as fit are complete.
func (r *Room) Take(held, n int) error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if n > r.left {
		r.left += held
		return tooLarge{fmt.Errorf("more than is left of the %d MiB that the responses of one round may take together", r.size>>20)}
	}
	r.left -= n
	return nil
}

// bounded fails with errLarge after left bytes, or when the room is used up.
type bounded struct {
	io.Reader
	left int64
	room *Room
	held int // bytes of the room
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
