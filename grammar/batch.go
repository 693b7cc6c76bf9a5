package grammar

import (
	"fmt"
	"strings"
)

// Item is one op of a batch: the parsed op, or the error.
type Item struct {
	// Raw is the op's text without separators around it; if Err is set, it is cut like Err.Raw.
	Raw string
	Op  Op
	Err *Error
}

// ParseAll parses a batch and returns one item for each op, in order. An element with newlines outside quotes holds
// several ops, between which blank lines are ignored; a blank element is an error. The block of a block verb is the lines
// after its own, from its element and those that follow, up to its END line. A quote that never closes extends to the end
// of its element.
func ParseAll(ops []string, r Rules) []Item {
	items := make([]Item, 0, len(ops))
	src := source{ops: ops}
	for src.nextElement() {
		if strings.Trim(src.rest, separators) == "" {
			src.rest = ""
			items = append(items, failedItem(emptyOp("op")))
			continue
		}
		for src.rest != "" {
			if item, ok := src.op(r); ok {
				items = append(items, item)
			}
		}
	}
	return items
}

func failedItem(err *Error) Item { return Item{Raw: err.Raw, Err: err} }

func newItem(op Op, err *Error) Item {
	if err != nil {
		return failedItem(err)
	}
	return Item{Raw: op.Raw, Op: op}
}

// source reads the lines of a batch.
type source struct {
	ops  []string // elements not started yet
	rest string   // what is left of the current element
}

// nextElement moves to the next element, and reports whether there is one.
func (s *source) nextElement() bool {
	if len(s.ops) == 0 {
		return false
	}
	s.rest, s.ops = strings.ToValidUTF8(s.ops[0], "\uFFFD"), s.ops[1:]
	return true
}

// take removes n bytes and the newline after them from the current element, and returns the bytes.
func (s *source) take(n int) string {
	line := s.rest[:n]
	s.rest = strings.TrimPrefix(s.rest[n:], "\n")
	return line
}

// line takes the next line, without its line end, from the current element or, if that is used up, from the next one.
func (s *source) line() (string, bool) {
	if s.rest == "" && !s.nextElement() {
		return "", false
	}
	n := strings.IndexByte(s.rest, '\n')
	if n < 0 {
		n = len(s.rest)
	}
	return strings.TrimRight(s.take(n), "\r"), true
}

// op reads the next op of the current element. It returns false for a blank line.
func (s *source) op(r Rules) (Item, bool) {
	end, open := len(s.rest), -1
	if strings.IndexByte(s.rest, '\n') >= 0 {
		end, open = lineEnd(s.rest)
	}
	if closing, ok := r.blockEnd(s.rest[:end]); ok {
		if open >= 0 {
			// The quote must not extend past the header: the lines after it belong to the block.
			s.rest = strings.TrimLeft(s.rest, separators)
			if end = strings.IndexByte(s.rest, '\n'); end < 0 {
				end = len(s.rest)
			}
		}
		return s.block(s.take(end), closing, r), true
	}
	line := s.take(end)
	if open >= 0 {
		return failedItem(unterminated(line, open)), true
	}
	if line = strings.Trim(line, separators); line == "" {
		return Item{}, false
	}
	return newItem(parseLine(line, r, reading{what: "op"})), true
}

// maxTry is the largest block, in bytes, that a suggestion repeats.
const maxTry = 1 << 10

// block reads the lines after header, up to closing. It always reads them, so that the lines of a block whose header is
// wrong, or that is too large, are not mistaken for ops.
func (s *source) block(header, closing string, r Rules) Item {
	header = strings.Trim(header, separators)
	op, err := parseLine(header, r, reading{what: "op"})
	lines, size, closed := []string{}, 0, false
	for !closed {
		line, ok := s.line()
		if !ok {
			break
		}
		if closed = strings.Trim(line, separators) == closing; closed {
			break
		}
		if size += len(line) + 1; size <= MaxBlockBytes {
			lines = append(lines, line)
		}
	}
	switch {
	case err != nil:
	case !closed:
		err = &Error{
			Message: fmt.Sprintf("%s takes lines up to a line %q, and there is none", op.Verb, closing),
			Raw:     excerpt(header),
		}
		if len(lines) > 0 && size < maxTry {
			err.Try = []string{join(header, lines, closing)}
		}
	case size > MaxBlockBytes:
		err = &Error{
			Message: fmt.Sprintf("the lines of %s are %d bytes long; the limit is %d", op.Verb, size, MaxBlockBytes),
			Raw:     excerpt(header),
		}
	}
	if err != nil {
		return failedItem(err)
	}
	op.Block, op.End = lines, closing
	op.Raw = join(header, lines, closing)
	return Item{Raw: op.Raw, Op: op}
}

// join returns the text of a block op.
func join(header string, lines []string, closing string) string {
	n := len(header) + 1 + len(closing)
	for _, l := range lines {
		n += len(l) + 1
	}
	var b strings.Builder
	b.Grow(n)
	b.WriteString(header)
	b.WriteByte('\n')
	for _, l := range lines {
		b.WriteString(l)
		b.WriteByte('\n')
	}
	b.WriteString(closing)
	return b.String()
}
