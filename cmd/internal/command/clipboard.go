package command

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// clipboards lists programs that copy their input to the clipboard, with the variable of the
// display that each needs.
var clipboards = []struct {
	variable string
	command  []string
}{
	{"WAYLAND_DISPLAY", []string{"wl-copy"}},
	{"DISPLAY", []string{"xclip", "-selection", "clipboard"}},
	{"DISPLAY", []string{"xsel", "--clipboard", "--input"}},
	{"", []string{"pbcopy"}},
	{"", []string{"clip.exe"}},
}

// errNoClipboard lists what was looked for.
var errNoClipboard = errors.New("no clipboard found: wl-copy, xclip, xsel, pbcopy and clip.exe are missing or cannot reach one, and there is no terminal")

// copyText copies a text to the clipboard, and returns what received it: a program, or the
// terminal.
func copyText(text string, out io.Writer) (how string, err error) {
	for _, c := range clipboards {
		if c.variable != "" && os.Getenv(c.variable) == "" {
			continue
		}
		path, err := exec.LookPath(c.command[0])
		if err != nil {
			continue
		}
		cmd := exec.Command(path, c.command[1:]...)
		cmd.Stdin = strings.NewReader(text)
		if err := cmd.Run(); err != nil {
			return "", fmt.Errorf("%s: %w", c.command[0], err)
		}
		return c.command[0], nil
	}
	if !isTerminal(out) {
		return "", errNoClipboard
	}
	// OSC 52: the terminal sets its clipboard, even at the other end of ssh.
	_, err = fmt.Fprintf(out, "\x1b]52;c;%s\a", base64.StdEncoding.EncodeToString([]byte(text)))
	return "the terminal, if it allows that", err
}
