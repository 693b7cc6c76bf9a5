// Command bench measures what a user feels, on the real binary over stdio, and
// prints it as a table.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// row is one line of the table.
type row struct{ what, got, limit string }

func run() error {
	tmp, err := os.MkdirTemp("", "fcp-bench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	var rows []row
	add := func(what, got, limit string) {
		rows = append(rows, row{what, got, limit})
		fmt.Fprintf(os.Stderr, "%-58s %12s  (at most %s)\n", what, got, limit)
	}

	cold, err := median(3, func(i int) (time.Duration, error) {
		return startup(filepath.Join(tmp, fmt.Sprint("cold", i)), nil)
	})
	if err != nil {
		return err
	}
	add("start → tools/list, both plugins, cold", ms(cold), "3000 ms")
	cache := filepath.Join(tmp, "cold0")
	var resident int
	warm, err := median(15, func(int) (time.Duration, error) {
		return startup(cache, func(s *server) { resident = s.resident() })
	})
	if err != nil {
		return err
	}
	add("start → tools/list, both plugins, warm", ms(warm), "60 ms")
	add("resident memory of all processes then", mb(resident), "80 MB")

	s, err := start(cache)
	if err != nil {
		return err
	}
	defer s.stop()
	first := map[string]string{"midi": `new "Bench" as:bench`, "drawio": `new "Bench" as:bench`}
	for _, d := range []string{"midi", "drawio"} {
		at := time.Now()
		if _, err := s.call(d+"_session", "action", first[d]); err != nil {
			return err
		}
		add("first new, "+d+" (worker starts, module loads)", ms(time.Since(at)), "–")
	}
	if _, err := s.call("midi", "ops", []string{"track add Piano instrument:acoustic-grand-piano"}); err != nil {
		return err
	}
	op := map[string]func(i int) string{
		"midi":   func(i int) string { return fmt.Sprintf("note Piano C%d at:%d.%d dur:eighth", 2+i%5, 1+i/4, 1+i%4) },
		"drawio": func(i int) string { return fmt.Sprintf("add svc Node%d", i) },
	}
	for _, d := range []string{"midi", "drawio"} {
		one, err := s.oneOp(d, op[d])
		if err != nil {
			return err
		}
		add("one call with one op, durable, "+d, one, "2.4 ms")
	}
	add("resident memory, one edited document in each domain", mb(s.resident()), "200 MB")
	for _, d := range []string{"midi", "drawio"} {
		for _, size := range []struct {
			n     int
			limit string
		}{{1000, "100 ms"}, {5000, "500 ms"}, {10000, "–"}} {
			took, err := median(3, func(int) (time.Duration, error) {
				if _, err := s.call(d+"_session", "action", `new "Batch"`); err != nil {
					return 0, err
				}
				var ops []string
				if d == "midi" {
					if _, err := s.call(d, "ops", []string{"track add Piano"}); err != nil {
						return 0, err
					}
				}
				for i := range size.n {
					ops = append(ops, op[d](i))
				}
				at := time.Now()
				_, err := s.call(d, "ops", ops)
				took := time.Since(at)
				if err == nil {
					_, err = s.call(d+"_session", "action", "close force")
				}
				return took, err
			})
			if err != nil {
				return err
			}
			add(fmt.Sprintf("a batch of %d ops, %s", size.n, d), ms(took), size.limit)
		}
	}
	if err := documents(cache, add); err != nil {
		return err
	}
	bare, err := start(cache, "--no-journal")
	if err != nil {
		return err
	}
	defer bare.stop()
	for _, d := range []string{"midi", "drawio"} {
		if _, err := bare.call(d+"_session", "action", first[d]); err != nil {
			return err
		}
		if d == "midi" {
			if _, err := bare.call("midi", "ops", []string{"track add Piano instrument:acoustic-grand-piano"}); err != nil {
				return err
			}
		}
		one, err := bare.oneOp(d, op[d])
		if err != nil {
			return err
		}
		add("one call with one op, without a journal, "+d, one, "0.4 ms")
	}
	fmt.Printf("\n%s/%s, %d cores, %s\n\n| what | measured | at most |\n|---|---|---|\n", runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version())
	for _, r := range rows {
		fmt.Printf("| %s | %s | %s |\n", r.what, r.got, r.limit)
	}
	return nil
}

// oneOp is what a call with one op takes.
func (s *server) oneOp(d string, op func(int) string) (string, error) {
	n := 1_000_000
	one, err := median(200, func(int) (time.Duration, error) {
		n++
		ops := []string{op(n % 1000)}
		if d == "drawio" {
			ops[0] = fmt.Sprintf("add svc Single%d", n)
		}
		at := time.Now()
		_, err := s.call(d, "ops", ops)
		return time.Since(at), err
	})
	return fmt.Sprintf("%.2f ms", float64(one.Microseconds())/1000), err
}

func ms(d time.Duration) string { return fmt.Sprintf("%.0f ms", float64(d.Microseconds())/1000) }
func mb(n int) string           { return fmt.Sprintf("%d MB", n/1_000_000) }

func median(n int, f func(i int) (time.Duration, error)) (time.Duration, error) {
	var all []time.Duration
	for i := range n {
		d, err := f(i)
		if err != nil {
			return 0, err
		}
		all = append(all, d)
	}
	slices.Sort(all)
	return all[len(all)/2], nil
}

// startup is the time from starting the process to the answer of tools/list.
func startup(cache string, then func(*server)) (time.Duration, error) {
	at := time.Now()
	s, err := start(cache)
	if err != nil {
		return 0, err
	}
	defer s.stop()
	if _, err := s.request("tools/list", nil); err != nil {
		return 0, err
	}
	took := time.Since(at)
	if then != nil {
		then(s)
	}
	return took, nil
}

// server is a running fcp-host and the pipes to it.
type server struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	id  int
}

// Its journal is beside the cache.
func start(cache string, flags ...string) (*server, error) {
	cmd := exec.Command("bin/fcp-host", append([]string{"--config", "off", "--plugins", "bin/plugins", "--cache", cache,
		"--journal-dir", filepath.Join(filepath.Dir(cache), "journal")}, flags...)...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("%w: run make first", err)
	}
	s := &server{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 1<<20)}
	_, err = s.request("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "bench", "version": "1"}})
	return s, err
}

func (s *server) stop() {
	s.in.Close()
	s.cmd.Wait()
}

func (s *server) request(method string, params any) (json.RawMessage, error) {
	s.id++
	msg := map[string]any{"jsonrpc": "2.0", "id": s.id, "method": method}
	if params != nil {
		msg["params"] = params
	}
	data, err := json.Marshal(msg)
	if err != nil {
		return nil, err
	}
	if _, err := s.in.Write(append(data, '\n')); err != nil {
		return nil, err
	}
	for {
		line, err := s.out.ReadBytes('\n')
		if err != nil {
			return nil, err
		}
		var m struct {
			ID     *int
			Result json.RawMessage
			Error  json.RawMessage
		}
		if err := json.Unmarshal(line, &m); err != nil {
			return nil, err
		}
		if m.ID == nil || *m.ID != s.id {
			continue
		}
		if m.Error != nil {
			return nil, fmt.Errorf("%s: %s", method, m.Error)
		}
		return m.Result, nil
	}
}

// call runs a tool; a failed call is an error with its text.
func (s *server) call(tool, arg string, value any) (string, error) {
	raw, err := s.request("tools/call", map[string]any{"name": tool, "arguments": map[string]any{arg: value}})
	if err != nil {
		return "", err
	}
	var res struct {
		Content []struct{ Text string }
		IsError bool
	}
	if err := json.Unmarshal(raw, &res); err != nil {
		return "", err
	}
	text := ""
	if len(res.Content) > 0 {
		text = res.Content[0].Text
	}
	if res.IsError {
		return "", errors.New(tool + ": " + text)
	}
	return text, nil
}

// resident sums what the server and its workers have in RAM, in bytes, where
// /proc tells.
func (s *server) resident() int {
	total := 0
	pids := []int{s.cmd.Process.Pid}
	for len(pids) > 0 {
		pid := pids[0]
		pids = pids[1:]
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
		if err != nil {
			continue
		}
		if f := strings.Fields(string(data)); len(f) > 1 {
			n, _ := strconv.Atoi(f[1])
			total += n * os.Getpagesize()
		}
		tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
		for _, t := range tasks {
			kids, _ := os.ReadFile(t)
			for _, k := range strings.Fields(string(kids)) {
				if n, err := strconv.Atoi(k); err == nil {
					pids = append(pids, n)
				}
			}
		}
	}
	return total
}
