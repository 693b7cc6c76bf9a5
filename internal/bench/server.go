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
)

// server is a running fcp-host with its pipes.
type server struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	id  int
}

// start starts fcp-host. Its journal is in the folder journal beside the cache.
func (b *bench) start(cache string, flags ...string) (*server, error) {
	cmd := exec.Command(filepath.Join(b.bin, "fcp-host"), append([]string{"--config", "off", "--plugin", "drawio", "--plugin", "midi", "--plugin", "svg", "--cache", cache,
		"--journal-dir", filepath.Join(filepath.Dir(cache), "journal")}, flags...)...)
	return b.begin(cmd)
}

// begin starts a server by its command.
func (b *bench) begin(cmd *exec.Cmd) (*server, error) {
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

// timedCall is call with its cost.
func (s *server) timedCall(tool, arg string, value any) (cost, error) {
	used, at := s.cpuTime(), time.Now()
	_, err := s.call(tool, arg, value)
	took := time.Since(at)
	return cost{took, s.cpuTime() - used}, err
}

// call runs a tool; if the call fails, the error has its text.
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
func (b *bench) startup(cache string, first func(*server) error, then func(*server), flags ...string) (cost, error) {
	at := time.Now()
	s, err := b.start(cache, flags...)
	if err != nil {
		return cost{}, err
	}
	defer s.stop()
	if err := first(s); err != nil {
		return cost{}, err
	}
	took := cost{time.Since(at), s.cpuTime()}
	if then != nil {
		then(s)
	}
	return took, nil
}
