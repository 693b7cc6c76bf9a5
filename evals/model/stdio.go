package model

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// stdio is whoever reads a stream and writes another: a person, a script, another agent. Each request is a line of JSON: that of a new
// conversation is whole, later ones have only the messages that are new. Each answer is a line of JSON with text, calls, or both.
type stdio struct {
	lines chan line
	out   *json.Encoder
	shown int // messages of the conversation
}

type line struct {
	data []byte
	err  error
}

func newStdio(in io.Reader, out io.Writer) *stdio {
	s := &stdio{lines: make(chan line), out: json.NewEncoder(out)}
	s.out.SetEscapeHTML(false)
	go func() { // until the process ends: reading a terminal cannot be cancelled
		for r := bufio.NewReader(in); ; {
			data, err := r.ReadBytes('\n')
			if len(bytes.TrimSpace(data)) > 0 {
				s.lines <- line{data, nil}
			}
			if err != nil {
				if !errors.Is(err, io.EOF) {
					s.lines <- line{nil, err}
				}
				close(s.lines)
				return
			}
		}
	}()
	return s
}

// Answer implements Model.
func (s *stdio) Answer(ctx context.Context, r Request) (Answer, error) {
	var shown any = r
	if len(r.Messages) > 1 {
		shown = struct {
			Messages []Message `json:"messages"`
		}{r.Messages[s.shown+1:]} // without the answer, which came from there
	}
	s.shown = len(r.Messages)
	if err := s.out.Encode(shown); err != nil {
		return Answer{}, err
	}
	for {
		select {
		case <-ctx.Done():
			return Answer{}, ctx.Err()
		case l, open := <-s.lines:
			if !open {
				return Answer{}, errors.New("stdin ended before the answer")
			}
			if l.err != nil {
				return Answer{}, l.err
			}
			answer, err := parseAnswer(l.data)
			if err == nil {
				return answer, nil
			}
			if err := s.out.Encode(map[string]string{"error": err.Error() + `; answer with one line, {"text": "…"} or {"calls": [{"name": "…", "arguments": {…}}]}`}); err != nil {
				return Answer{}, err
			}
		}
	}
}

func parseAnswer(data []byte) (Answer, error) {
	var a struct {
		Text  string
		Calls []Call
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&a); err != nil {
		return Answer{}, fmt.Errorf("this is no answer: %w", err)
	}
	if d.More() {
		return Answer{}, errors.New("this is no answer: something follows it")
	}
	for _, c := range a.Calls {
		if c.Name == "" {
			return Answer{}, errors.New("this is no answer: a call has no name")
		}
	}
	return Answer{Text: a.Text, Calls: a.Calls}, nil
}
