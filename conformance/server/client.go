// Package server checks any FCP server against the requirements M1–M7, S1–S7 and O1–O6, through its four tools over
// stdio. It does not rely on this host's wording: it learns a server's verbs from the server's texts.
package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/conformance"
)

// Tool is a tool as the server lists it.
type Tool struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	InputSchema struct {
		Properties map[string]struct {
			Type  any `json:"type"`
			Items struct {
				Type any `json:"type"`
			} `json:"items"`
		} `json:"properties"`
		Required []string `json:"required"`
	} `json:"inputSchema"`
}

// Server is a running server process. It is not safe for concurrent use.
type Server struct {
	Tools  []Tool
	Domain string // of the four tools; "" when none was found
	kind   string // the domain of the documents, if the tools serve several domains
	names  [4]string

	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  chan []byte
	done   chan struct{} // closed by Close
	reaped chan struct{} // closed when the process is gone and its output is read
	stderr *tail
	wait   time.Duration
	id     int
	coded  bool // the last call got a JSON-RPC error
}

// The four tools, as indexes into Server.names.
const (
	edit = iota
	query
	session
	help
)

// Start starts the server, initializes MCP and lists the tools. It fails if the process does not speak MCP; Judge
// reports what is wrong with the tools.
func Start(ctx context.Context, c Command) (*Server, error) {
	if len(c.Argv) == 0 {
		return nil, errors.New("the command that starts the server is missing")
	}
	s := &Server{wait: c.Wait, lines: make(chan []byte, 16), done: make(chan struct{}), reaped: make(chan struct{}), stderr: &tail{}}
	if s.wait <= 0 {
		s.wait = 30 * time.Second
	}
	s.cmd = exec.CommandContext(ctx, c.Argv[0], c.Argv[1:]...)
	s.cmd.Dir, s.cmd.Stderr = c.Dir, s.stderr
	s.cmd.WaitDelay = 5 * time.Second
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, fmt.Errorf("the server does not start: %w", err)
	}
	go func() {
		s.read(out)
		s.cmd.Wait() // the exit status does not matter
		close(s.reaped)
	}()
	if err := s.handshake(c.Domain); err != nil {
		s.Close()
		if text := s.stderr.String(); text != "" && !strings.Contains(err.Error(), text) {
			err = fmt.Errorf("%w; it wrote: %s", err, text)
		}
		return nil, err
	}
	return s, nil
}

func (s *Server) read(out io.Reader) {
	defer close(s.lines)
	r := bufio.NewReaderSize(out, 1<<20)
	for {
		line, err := r.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			select {
			case s.lines <- line:
			case <-s.done:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// Close ends the server: it closes its input and kills it if it does not end.
func (s *Server) Close() {
	close(s.done)
	s.in.Close()
	if !s.exitsWithin(5 * time.Second) {
		s.cmd.Process.Kill()
		<-s.reaped
	}
}

func (s *Server) handshake(domain string) error {
	err := s.request("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "fcp-conformance", "version": "1"}}, nil)
	if err != nil {
		return fmt.Errorf("initialize: %w", err)
	}
	if err := s.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"}); err != nil {
		return err
	}
	for cursor := ""; ; {
		params := map[string]any{}
		if cursor != "" {
			params["cursor"] = cursor
		}
		var page struct {
			Tools      []Tool `json:"tools"`
			NextCursor string `json:"nextCursor"`
		}
		if err := s.request("tools/list", params, &page); err != nil {
			return fmt.Errorf("tools/list: %w", err)
		}
		s.Tools = append(s.Tools, page.Tools...)
		if cursor = page.NextCursor; cursor == "" || len(s.Tools) > 10_000 {
			break
		}
	}
	s.Domain = domain
	switch {
	case domain == "":
		s.Domain = s.findDomain()
	case s.tool(domain+"_session") == nil && s.tool("fcp_session") != nil:
		s.Domain, s.kind = "fcp", domain // the draft's tools, which serve any domain
	}
	s.names = [4]string{s.Domain, s.Domain + "_query", s.Domain + "_session", s.Domain + "_help"}
	if s.tool(s.names[edit]) == nil && s.tool(s.Domain+"_edit") != nil {
		s.names[edit] = s.Domain + "_edit"
	}
	return nil
}

// findDomain finds a name for which the three other tools exist.
func (s *Server) findDomain() string {
	for _, t := range s.Tools {
		base, ok := strings.CutSuffix(t.Name, "_session")
		if ok && s.tool(base+"_query") != nil && (s.tool(base) != nil || s.tool(base+"_edit") != nil) {
			return base
		}
	}
	for _, t := range s.Tools {
		if base, ok := strings.CutSuffix(t.Name, "_session"); ok {
			return base
		}
	}
	return ""
}

func (s *Server) tool(name string) *Tool {
	for i := range s.Tools {
		if s.Tools[i].Name == name {
			return &s.Tools[i]
		}
	}
	return nil
}

// argument returns the name of a tool's parameter: the one in M1 or, if the tool lacks it, its first required one.
func (s *Server) argument(which int) string {
	want := [4]string{"ops", "q", "action", ""}[which]
	t := s.tool(s.names[which])
	if t == nil || want == "" {
		return want
	}
	if _, ok := t.InputSchema.Properties[want]; !ok && len(t.InputSchema.Required) > 0 {
		return t.InputSchema.Required[0]
	}
	return want
}

func (s *Server) send(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = s.in.Write(append(data, '\n'))
	return err
}

// message is any JSON-RPC message from the server.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// protocolError is a JSON-RPC error.
type protocolError struct {
	code int
	text string
}

func (e *protocolError) Error() string { return fmt.Sprintf("JSON-RPC error %d: %s", e.code, e.text) }

// request sends a request and waits for the answer. It refuses requests of the server, as a client without capabilities
// does.
func (s *Server) request(method string, params, out any) error {
	s.id++
	id := fmt.Sprint(s.id)
	if err := s.send(map[string]any{"jsonrpc": "2.0", "id": s.id, "method": method, "params": params}); err != nil {
		if s.exitsWithin(5 * time.Second) {
			return s.exitError()
		}
		return fmt.Errorf("the server accepts no more input: %w", err)
	}
	late := time.NewTimer(s.wait)
	defer late.Stop()
	for {
		select {
		case <-late.C:
			return fmt.Errorf("no answer within %s", s.wait)
		case line, ok := <-s.lines:
			if !ok {
				return s.exitError()
			}
			var m message
			if err := json.Unmarshal(line, &m); err != nil {
				return fmt.Errorf("its output contains a line that is not JSON: %.200q", line)
			}
			if m.Method != "" && m.ID != nil {
				if err := s.refuse(m); err != nil {
					return err
				}
				continue
			}
			if string(m.ID) != id {
				continue
			}
			if m.Error != nil {
				return &protocolError{m.Error.Code, m.Error.Message}
			}
			if out == nil {
				return nil
			}
			return json.Unmarshal(m.Result, out)
		}
	}
}

// exitsWithin reports whether the process ends within limit.
func (s *Server) exitsWithin(limit time.Duration) bool {
	select {
	case <-s.reaped:
		return true
	case <-time.After(limit):
		return false
	}
}

// exitError says how the server ended, with the end of its stderr, which may arrive after the end of its stdout.
func (s *Server) exitError() error {
	s.exitsWithin(5 * time.Second)
	if text := s.stderr.String(); text != "" {
		return fmt.Errorf("the server ended; it wrote: %s", text)
	}
	return errors.New("the server ended")
}

func (s *Server) refuse(m message) error {
	answer := map[string]any{"jsonrpc": "2.0", "id": m.ID}
	if m.Method == "ping" {
		answer["result"] = map[string]any{}
	} else {
		answer["error"] = map[string]any{"code": -32601, "message": "this client does not do that"}
	}
	return s.send(answer)
}

// call calls one of the four tools. A JSON-RPC error counts as a failed call.
func (s *Server) call(which int, value any, then ...string) (conformance.Answer, error) {
	args := map[string]any{}
	if len(then) > 0 {
		args["then"] = then
	}
	if name := s.argument(which); name != "" {
		args[name] = value
	}
	var res struct {
		Content []struct {
			Type, Text string
		} `json:"content"`
		IsError bool `json:"isError"`
	}
	err := s.request("tools/call", map[string]any{"name": s.names[which], "arguments": args}, &res)
	var refused *protocolError
	if s.coded = errors.As(err, &refused); s.coded {
		return conformance.Answer{Text: refused.text, Failed: true}, nil
	}
	if err != nil {
		return conformance.Answer{}, err
	}
	a := conformance.Answer{Failed: res.IsError}
	for _, c := range res.Content {
		if c.Type == "text" {
			a.Text += c.Text
		}
	}
	a.Text = conformance.WithoutState(a.Text)
	return a, nil
}

// Edit, Query, Session and Help implement conformance.Tools.

// Edit calls the tool D.
func (s *Server) Edit(_ context.Context, ops, then []string) (conformance.Answer, error) {
	if ops == nil {
		ops = []string{}
	}
	return s.call(edit, ops, then...)
}

// Query calls the tool D_query.
func (s *Server) Query(_ context.Context, q string) (conformance.Answer, error) {
	return s.call(query, q)
}

// Session calls the tool D_session.
func (s *Server) Session(_ context.Context, action string) (conformance.Answer, error) {
	return s.call(session, action)
}

// Help calls the tool D_help.
func (s *Server) Help(context.Context) (conformance.Answer, error) { return s.call(help, nil) }

var _ io.Writer = (*tail)(nil)
