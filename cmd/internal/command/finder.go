package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"unicode"
	"unicode/utf8"
)

// finder is a list from which the user picks one line: with the arrow keys and Enter, by the digit before it, or by typing
// part of it.
type finder struct {
	lines []string
	rows  int // lines shown at once

	typed string
	shown []int // indexes of the lines that match what was typed
	at    int   // the selected line, an index of shown
}

// errNothingPicked is returned if the user leaves without picking a line.
var errNothingPicked = errors.New("nothing was chosen")

func newFinder(lines []string, rows int) *finder {
	f := &finder{lines: lines, rows: max(1, rows)}
	f.narrow("")
	return f
}

// narrow shows only the lines that contain every word of typed, ignoring case.
func (f *finder) narrow(typed string) {
	f.typed, f.shown, f.at = typed, f.shown[:0], 0
	words := strings.Fields(strings.ToLower(typed))
	for i, l := range f.lines {
		l = strings.ToLower(l)
		all := true
		for _, w := range words {
			all = all && strings.Contains(l, w)
		}
		if all {
			f.shown = append(f.shown, i)
		}
	}
}

// first returns the index in shown of the topmost line on the screen.
func (f *finder) first() int { return max(0, f.at-f.rows+1) }

// keys handles the bytes that the terminal sent. done reports that the user picked a line, or, with err, left without one.
func (f *finder) keys(b []byte) (line int, done bool, err error) {
	pick := func(at int) (int, bool, error) {
		if at >= len(f.shown) {
			return 0, false, nil
		}
		return f.shown[at], true, nil
	}
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		switch {
		case r == '\x1b':
			if n = sequence(b); n == 1 {
				return 0, true, errNothingPicked
			}
			f.move(map[byte]int{'A': -1, 'B': 1}[b[n-1]])
		case r == 3 || r == 4: // Ctrl-C, Ctrl-D
			return 0, true, errNothingPicked
		case r == '\r' || r == '\n':
			return pick(f.at)
		case r == 14: // Ctrl-N
			f.move(1)
		case r == 16: // Ctrl-P
			f.move(-1)
		case r == 8 || r == 127:
			_, last := utf8.DecodeLastRuneInString(f.typed)
			f.narrow(f.typed[:len(f.typed)-last])
		case r >= '1' && r <= '9':
			if line, done, err = pick(f.first() + int(r-'1')); done {
				return line, done, err
			}
		case r != utf8.RuneError && unicode.IsPrint(r):
			f.narrow(f.typed + string(r))
		}
		b = b[n:]
	}
	return 0, false, nil
}

// sequence returns the length of the escape sequence at the start of b, 1 for the Escape key alone.
func sequence(b []byte) int {
	if len(b) < 3 || b[1] != '[' && b[1] != 'O' {
		return 1
	}
	for i := 2; i < len(b); i++ {
		if b[i] >= 0x40 && b[i] <= 0x7e {
			return i + 1
		}
	}
	return len(b)
}

func (f *finder) move(by int) { f.at = max(0, min(f.at+by, len(f.shown)-1)) }

// draw writes the list and moves the cursor back to its start. Long lines are cut off at the edge of the screen.
func (f *finder) draw(w io.Writer) {
	var b strings.Builder
	fmt.Fprintf(&b, "\r\x1b[J\x1b[?7l> %s  (%d of %d; arrows and Enter, a digit, or type; Esc leaves)", f.typed, len(f.shown), len(f.lines))
	first := f.first()
	last := min(first+f.rows, len(f.shown))
	for i := first; i < last; i++ {
		mark, digit := "  ", " "
		if i == f.at {
			mark = "▸ "
		}
		if n := i - first + 1; n <= 9 {
			digit = fmt.Sprint(n)
		}
		fmt.Fprintf(&b, "\r\n%s%s %s", mark, digit, f.lines[f.shown[i]])
	}
	b.WriteString("\x1b[?7h\r")
	if n := last - first; n > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", n)
	}
	io.WriteString(w, b.String())
}

// mostShown is the largest number of lines that are shown at once.
const mostShown = 20

// pickLine lets the user pick one of lines on a terminal and returns its index.
func pickLine(ctx context.Context, lines []string, in, out *os.File) (int, error) {
	restore, err := rawTerminal(in, out)
	if err != nil {
		return 0, err
	}
	defer restore()
	rows := mostShown
	if n := terminalRows(out); n > 1 {
		rows = min(rows, n-1)
	}
	f := newFinder(lines, rows)
	defer io.WriteString(out, "\r\x1b[J")
	typed, failed := make(chan []byte), make(chan error, 1)
	next := make(chan struct{}, 1)
	go func() {
		for range next { // read only on demand, so that keys meant for the editor are left to it
			b := make([]byte, 64)
			n, err := in.Read(b)
			if err != nil {
				failed <- err
				return
			}
			select {
			case typed <- b[:n]:
			case <-ctx.Done():
				return
			}
		}
	}()
	defer close(next)
	for {
		f.draw(out)
		next <- struct{}{}
		select {
		case b := <-typed:
			if line, done, err := f.keys(b); done {
				return line, err
			}
		case <-failed:
			return 0, errNothingPicked
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}

// edit opens a file in the user's editor and waits for it.
func edit(path string, io stdio) error {
	var cmd *exec.Cmd
	editor := os.Getenv("VISUAL")
	if editor == "" {
		editor = os.Getenv("EDITOR")
	}
	if editor == "" {
		for _, name := range []string{"sensible-editor", "vi", "nano", "notepad.exe"} {
			if _, err := exec.LookPath(name); err == nil {
				editor = name
				break
			}
		}
	}
	words := strings.Fields(editor)
	switch {
	case len(words) == 0:
		return errors.New("no editor found; set EDITOR")
	case runtime.GOOS == "windows":
		cmd = exec.Command(words[0], append(words[1:], path)...)
	default: // like git: the variable is part of a shell command line
		cmd = exec.Command("sh", "-c", editor+` "$1"`, "sh", path)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = io.in, io.out, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", words[0], err)
	}
	return nil
}
