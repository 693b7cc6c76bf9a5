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
	"strconv"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/internal/ends"
)

// server is a running fcp-host with its pipes.
type server struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	id  int
}

// start starts fcp-host. Its journal is in the folder journal beside the cache.
func (b *bench) start(cache string, flags ...string) *server {
	cmd := exec.Command(filepath.Join(b.bin, "fcp-host"), append([]string{"--config", "off", "--plugin", "drawio", "--plugin", "midi", "--plugin", "svg", "--cache", cache,
		"--journal-dir", filepath.Join(filepath.Dir(cache), "journal")}, flags...)...)
	return b.begin(cmd)
}

// begin starts a server by its command.
func (b *bench) begin(cmd *exec.Cmd) *server {
	cmd.Stderr = os.Stderr
	in := ends.Unless(cmd.StdinPipe())
	out := ends.Unless(cmd.StdoutPipe())
	if err := cmd.Start(); err != nil {
		ends.If(fmt.Errorf("%w: run make first", err))
	}
	s := &server{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 1<<20)}
	s.request("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "bench", "version": "1"}})
	return s
}

func (s *server) stop() {
	s.in.Close()
	s.cmd.Wait()
}

func (s *server) request(method string, params any) json.RawMessage {
	s.id++
	msg := map[string]any{"jsonrpc": "2.0", "id": s.id, "method": method}
	if params != nil {
		msg["params"] = params
	}
	data := ends.Unless(json.Marshal(msg))
	ends.Unless(s.in.Write(append(data, '\n')))
	for {
		line := ends.Unless(s.out.ReadBytes('\n'))
		var m struct {
			ID     *int
			Result json.RawMessage
			Error  json.RawMessage
		}
		ends.If(json.Unmarshal(line, &m))
		if m.ID == nil || *m.ID != s.id {
			continue
		}
		if m.Error != nil {
			ends.If(fmt.Errorf("%s: %s", method, m.Error))
		}
		return m.Result
	}
}

// timedCall is call with its cost.
func (s *server) timedCall(tool, arg string, value any) cost {
	used, at := s.cpuTime(), time.Now()
	s.call(tool, arg, value)
	took := time.Since(at)
	return cost{took, s.cpuTime() - used}
}

// call runs a tool with one argument, and returns its text.
func (s *server) call(tool, arg string, value any) string {
	return s.run(tool, map[string]any{arg: value})
}

// run runs a tool, and returns its text.
func (s *server) run(tool string, args map[string]any) (text string) {
	var res struct {
		Content []struct{ Text string }
		IsError bool
	}
	ends.If(json.Unmarshal(s.request("tools/call", map[string]any{"name": tool, "arguments": args}), &res))
	if len(res.Content) > 0 {
		text = res.Content[0].Text
	}
	if res.IsError {
		ends.If(errors.New(tool + ": " + text))
	}
	return text
}

// resident returns the memory of the server and its workers in bytes, if /proc is available.
func (s *server) resident() int {
	total := 0
	for _, pid := range s.processes() {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
		if err != nil {
			continue
		}
		if f := strings.Fields(string(data)); len(f) > 1 {
			n, _ := strconv.Atoi(f[1])
			total += n * os.Getpagesize()
		}
	}
	return total
}

// cpuTime returns the processor time of the server and its workers so far, if /proc is available.
func (s *server) cpuTime() time.Duration {
	var total time.Duration
	for _, pid := range s.processes() {
		tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
		for _, t := range tasks {
			data, _ := os.ReadFile(t)
			first, _, _ := strings.Cut(string(data), " ")
			n, _ := strconv.Atoi(first)
			total += time.Duration(n)
		}
	}
	return total
}

// processes lists the PIDs of the server and its workers.
func (s *server) processes() []int {
	pids := []int{s.cmd.Process.Pid}
	for i := 0; i < len(pids); i++ {
		tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pids[i]))
		for _, t := range tasks {
			kids, _ := os.ReadFile(t)
			for _, k := range strings.Fields(string(kids)) {
				if n, err := strconv.Atoi(k); err == nil {
					pids = append(pids, n)
				}
			}
		}
	}
	return pids
}

// startup measures the time from starting the process to the end of first.
func (b *bench) startup(cache string, first, then func(*server), flags ...string) cost {
	at := time.Now()
	s := b.start(cache, flags...)
	defer s.stop()
	first(s)
	took := cost{time.Since(at), s.cpuTime()}
	if then != nil {
		then(s)
	}
	return took
}
