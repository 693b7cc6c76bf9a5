package command

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"mime"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/fcp-host/fcp-host/host/mcpserver"
	"github.com/fcp-host/fcp-host/host/reply"
)

// text prints a reply for stdout or stderr. Its pictures go to files.
func (x *script) text(tool string, r *reply.Reply) string {
	saved := x.savePictures(r)
	if x.json {
		var b strings.Builder
		line := jsonReply{Call: tool, OK: !r.Failed, Facts: mcpserver.FactsOf(r, x.suggestionText), Pictures: saved}
		if r.File != nil {
			line.File = r.File.Path
		}
		printJSON(&b, line)
		return b.String()
	}
	text := r.Print(x.suggestionText) + "\n"
	for _, p := range saved {
		text += "picture: " + reply.Line(p) + "\n"
	}
	return text
}

// jsonReply is the line that --json prints for a call.
type jsonReply struct {
	Call string `json:"call"` // edit, query, session or help
	OK   bool   `json:"ok"`
	mcpserver.Facts
	Pictures []string `json:"pictures,omitempty"` // paths of files
	File     string   `json:"file,omitempty"`     // path of the file that the call wrote
}

func printJSON(w io.Writer, v any) {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // strings, numbers and lists of them; a failed write ends the program when it prints
}

// savePictures writes a reply's pictures to files of their own and returns the paths. A picture that cannot be written
// makes the call fail.
func (x *script) savePictures(r *reply.Reply) (paths []string) {
	for _, c := range r.Content {
		path, err := savePicture(x.pictures, r.Document, c)
		if err != nil {
			x.failed = true
			x.out.complain("the picture cannot be written: %v; name a folder with --pictures", err)
			continue
		}
		paths = append(paths, path)
	}
	return paths
}

func savePicture(dir, document string, c reply.Content) (string, error) {
	name := strings.Map(func(r rune) rune {
		if r == '-' || r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return r
		}
		return '-'
	}, document)
	end := ".png"
	if known, _ := mime.ExtensionsByType(c.MIME); len(known) > 0 && c.MIME != "image/png" {
		end = known[0]
	}
	f, err := os.CreateTemp(dir, "fcp-"+name[:min(len(name), 40)]+"-*"+end)
	if err != nil {
		return "", err
	}
	path := f.Name()
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	_, err = f.Write(c.Data)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return path, err
}

// guestHandler logs, but prints a plugin's stderr and log lines unchanged at any level: whoever
// runs a script is likely the plugin's author, and a panic's trace names the line.
type guestHandler struct {
	slog.Handler
	out io.Writer
}

// Enabled implements slog.Handler. Plugins' lines have level info or above.
func (h guestHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelInfo || h.Handler.Enabled(ctx, level)
}

// Handle implements slog.Handler: it prints a plugin's line unchanged, and logs everything else.
func (h guestHandler) Handle(ctx context.Context, r slog.Record) error {
	attrs := map[string]string{}
	r.Attrs(func(a slog.Attr) bool {
		attrs[a.Key] = a.Value.String()
		return true
	})
	if attrs["from"] == "guest" {
		_, err := fmt.Fprintf(h.out, "%s: %s\n", attrs["plugin"], r.Message)
		return err
	}
	if !h.Handler.Enabled(ctx, r.Level) {
		return nil
	}
	return h.Handler.Handle(ctx, r)
}
