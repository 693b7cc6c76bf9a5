package server

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"
)

// Command says how to start a server.
type Command struct {
	Argv   []string      // the program and its arguments
	Dir    string        // its working directory
	Domain string        // prefix of the tools; "" to find it in the list of tools
	Wait   time.Duration // for one answer; 0 means 30 s
}

// tail keeps the end of what a process writes.
type tail struct {
	mu   sync.Mutex
	data []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	const most = 2000
	if t.data = append(t.data, p...); len(t.data) > most {
		t.data = bytes.Clone(t.data[len(t.data)-most:])
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.data))
}

// Split splits a command line as a shell does, without expansions: words, with "…" and '…' around spaces.
func Split(line string) ([]string, error) {
	var argv []string
	var word strings.Builder
	open, quote := false, rune(0)
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, open = r, true
		case r == ' ' || r == '\t' || r == '\n':
			if open {
				argv = append(argv, word.String())
				word.Reset()
				open = false
			}
		default:
			word.WriteRune(r)
			open = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("the command %q has an unclosed quote", line)
	}
	if open {
		argv = append(argv, word.String())
	}
	if len(argv) == 0 {
		return nil, errors.New("the command is empty")
	}
	return argv, nil
}

// folder creates an empty folder for a server.
func folder() (string, func(), error) {
	dir, err := os.MkdirTemp("", "fcp-conformance-*")
	if err != nil {
		return "", nil, err
	}
	return dir, func() { os.RemoveAll(dir) }, nil
}
