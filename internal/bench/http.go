package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fcp-host/fcp-host/internal/ends"
)

// Tokens of the measured client and of the attacker.
const (
	honest   = "honest-0123456789abcdef"
	attacker = "attack-0123456789abcdef"
)

// web is a running fcp-host that serves HTTP.
type web struct {
	server
	addr string
}

// web starts a server for a domain.
func (b *bench) web(domain string, flags ...string) *web {
	dir := filepath.Dir(b.cache)
	tokens := filepath.Join(dir, "tokens")
	ends.If(os.WriteFile(tokens, []byte("honest "+honest+"\nattacker "+attacker+"\n"), 0o600))
	cmd := exec.Command(filepath.Join(b.bin, "fcp-host"), append([]string{"serve", "--config", "off", "--plugin", domain, "--cache", b.cache,
		"--journal-dir", filepath.Join(dir, "journal"), "--http", "127.0.0.1:0", "--http-token-file", tokens, "--audit-log", filepath.Join(dir, "audit")}, flags...)...)
	log := ends.Unless(cmd.StderrPipe())
	if err := cmd.Start(); err != nil {
		ends.If(fmt.Errorf("%w: run make first", err))
	}
	w := &web{server: server{cmd: cmd}}
	lines := bufio.NewScanner(log)
	for lines.Scan() {
		if _, at, ok := strings.Cut(lines.Text(), "serving http://"); ok {
			w.addr, _, _ = strings.Cut(at, "/")
			go func() {
				for lines.Scan() {
				}
			}()
			return w
		}
	}
	ends.If(errors.New("the server does not say where it serves"))
	return nil
}

func (w *web) end() {
	w.cmd.Process.Signal(os.Interrupt)
	w.cmd.Wait()
}

const greeting = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`

// post sends one message and returns the status, session and body of the answer.
func (w *web) post(ctx context.Context, token, session, body string) (status int, id string, answer []byte, err error) {
	req, err := http.NewRequestWithContext(ctx, "POST", "http://"+w.addr+"/mcp", strings.NewReader(body))
	if err != nil {
		return 0, "", nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Authorization", "Bearer "+token)
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, "", nil, err
	}
	defer res.Body.Close()
	answer, err = io.ReadAll(res.Body)
	return res.StatusCode, res.Header.Get("Mcp-Session-Id"), answer, err
}

// raw opens a connection, sends parts, and waits until ctx is done or the server closes the connection.
func (w *web) raw(ctx context.Context, parts ...[]byte) {
	c, err := net.Dial("tcp", w.addr)
	if err != nil {
		return
	}
	defer c.Close()
	stop := context.AfterFunc(ctx, func() { c.Close() })
	defer stop()
	for _, part := range parts {
		if _, err := c.Write(part); err != nil {
			return
		}
	}
	io.Copy(io.Discard, c)
}

// attack is an attack that many connections repeat.
type attack struct {
	name string
	many int
	do   func(ctx context.Context)
}

// attacks lists attacks by anybody who reaches the server, and by a client with a session.
func (w *web) attacks(session string) []attack {
	head := func(token, session string, length int) []byte {
		return fmt.Appendf(nil, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer %s\r\nMcp-Session-Id: %s\r\nContent-Length: %d\r\n\r\n",
			token, session, length)
	}
	start, part := []byte("POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-A: "), bytes.Repeat([]byte("a"), 75<<20)
	return []attack{
		{"nothing", 0, nil},
		{"600 half headers", 600, func(ctx context.Context) { w.raw(ctx, start) }},
		{"8 floods of headers of 1 MB", 8, func(ctx context.Context) { w.raw(ctx, start, part[:1<<20]) }},
		{"200 half bodies without a token", 200, func(ctx context.Context) { w.raw(ctx, head("x", "", 80_000), part[:40_000]) }},
		{"12 bodies of 75 of 80 MB", 12, func(ctx context.Context) { w.raw(ctx, head(attacker, session, 80<<20), part) }},
		{"8 floods of initialize", 8, func(ctx context.Context) { w.post(ctx, attacker, "", greeting) }},
		{"8 floods of foreign session ids", 8, func(ctx context.Context) { w.post(ctx, attacker, "GUESSED", greeting) }},
		{"8 floods without a token", 8, func(ctx context.Context) { w.post(ctx, "guessed", "", greeting) }},
	}
}

// attackFlag makes the bench run as the attacker, in a process separate from the measured client. It reports on stdout
// when all attackers are active, and runs until the end of stdin.
const attackFlag = "attack"

// runAttacker runs the attack of the attacker's process. Its argument is NUMBER,ADDRESS,SESSION.
func runAttacker(target string) {
	words := strings.Split(target, ",")
	if len(words) != 3 {
		ends.If(fmt.Errorf("-%s is for the bench itself", attackFlag))
	}
	w := &web{addr: words[1]}
	n := ends.Unless(strconv.Atoi(words[0]))
	a := w.attacks(words[2])[n]
	ctx, stop := context.WithCancel(context.Background())
	var all, begun sync.WaitGroup
	begun.Add(a.many)
	for range a.many {
		all.Go(func() {
			begun.Done()
			for ctx.Err() == nil {
				a.do(ctx)
			}
		})
	}
	begun.Wait()
	fmt.Println("begun")
	io.Copy(io.Discard, os.Stdin)
	stop()
	all.Wait()
}

// attack starts the attacker's process; stop ends it. It has a low priority, since a remote attacker would not use this
// machine's processors.
func (w *web) attack(n int, session string) (stop func()) {
	exe := ends.Unless(os.Executable())
	cmd := exec.Command("nice", "-n", "19", exe, "-"+attackFlag, fmt.Sprintf("%d,%s,%s", n, w.addr, session))
	cmd.Stderr = os.Stderr
	in := ends.Unless(cmd.StdinPipe())
	out := ends.Unless(cmd.StdoutPipe())
	ends.If(cmd.Start())
	ends.Unless(bufio.NewReader(out).ReadString('\n'))
	return func() { in.Close(); cmd.Wait() }
}

// underAttack measures calls of an HTTP client while another principal, or an unknown one, attacks. The slowest call
// counts.
func underAttack(b *bench) {
	w := b.web("drawio")
	defer w.end()
	c := w.client(honest)
	ends.If(c.call("drawio_session", `{"action":"new \"Bench\""}`))
	theirs := w.client(attacker).session
	const calls = 300
	n, peak := 0, 0
	for i, a := range w.attacks(theirs) {
		stop := w.attack(i, theirs)
		took := sample(calls, func(i int) cost {
			n++
			at := time.Now()
			err := c.call("drawio", fmt.Sprintf(`{"ops":["add svc S%d at:%d,%d"]}`, n, 200*(n%250), 120*(n/250)))
			took := time.Since(at)
			if i%30 == 0 {
				peak = max(peak, w.resident())
			}
			time.Sleep(10 * time.Millisecond) // makes the attack last for seconds
			if err != nil {
				ends.If(fmt.Errorf("beside %s: %w", a.name, err))
			}
			return cost{wall: took}
		})
		stop()
		longest := slices.MaxFunc(took, func(a, b cost) int { return int(a.wall - b.wall) })
		b.time("one call with one op over HTTP, beside "+a.name, took, "–")
		b.add(fmt.Sprintf("the longest of %d", calls), ms(longest.wall), "100 ms")
	}
	b.add("resident memory of all processes, at the most", mb(peak), "–")
}
