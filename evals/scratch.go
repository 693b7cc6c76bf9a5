package evals

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/evals/model"
)

// scratch is plain access to the files of the scratch folder, and to no others.
type scratch struct{ root *os.Root }

// openScratch returns the arm for a folder.
func openScratch(dir string) (Arm, error) {
	root, err := os.OpenRoot(dir)
	return scratch{root}, err
}

func (s scratch) Instructions() string { return "" }

func (s scratch) Tools() []model.Tool {
	const path = `"path":{"type":"string","description":"relative to the working folder"}`
	const encoding = `"encoding":{"enum":["text","base64"],"description":"base64 for files that are not text (default: text)"}`
	tool := func(name, description, properties, required string) model.Tool {
		schema := `{"type":"object","properties":{` + properties + `},"required":[` + required + `]}`
		return model.Tool{Name: name, Description: description, Schema: json.RawMessage(schema)}
	}
	return []model.Tool{
		tool("list_files", "List all files of the working folder with their sizes in bytes.", ``, ``),
		tool("read_file", "Read a file, or some of its lines.", path+`,"first":{"type":"integer","description":"the first line to read (default: 1)"},"lines":{"type":"integer","description":"how many lines to read (default: all)"},`+encoding, `"path"`),
		tool("write_file", "Write a file. It replaces an existing one; folders are created.", path+`,"content":{"type":"string"},`+encoding, `"path","content"`),
		tool("replace", "Replace a text in a file. The old text must occur exactly once, or with all:true at least once.", path+`,"old":{"type":"string"},"new":{"type":"string"},"all":{"type":"boolean"}`, `"path","old","new"`),
	}
}

// scratchCall is the arguments of all tools.
type scratchCall struct {
	Path, Content, Old, New, Encoding string
	First, Lines                      int
	All                               bool
}

// Call implements Arm.
func (s scratch) Call(_ context.Context, name string, arguments json.RawMessage) (model.Result, error) {
	var c scratchCall
	var text string
	err := json.Unmarshal(arguments, &c)
	if err == nil {
		switch name {
		case "list_files":
			text, err = s.list()
		case "read_file":
			text, err = s.read(c)
		case "write_file":
			text, err = s.write(c)
		case "replace":
			text, err = s.replace(c)
		}
	}
	if err != nil {
		return model.Result{Text: err.Error(), Error: true}, nil
	}
	return model.Result{Text: text}, nil
}

func (s scratch) Close() error { return s.root.Close() }

func (s scratch) list() (string, error) {
	var list strings.Builder
	err := fs.WalkDir(s.root.FS(), ".", func(p string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		info, err := e.Info()
		if err == nil {
			fmt.Fprintf(&list, "%s %d\n", p, info.Size())
		}
		return err
	})
	return list.String(), err
}

func (s scratch) read(c scratchCall) (string, error) {
	data, err := s.root.ReadFile(c.Path)
	switch {
	case err != nil:
		return "", err
	case c.Encoding == "base64":
		return base64.StdEncoding.EncodeToString(data), nil
	case !utf8.Valid(data):
		return "", fmt.Errorf("%s is not text: read it with encoding base64", c.Path)
	case c.First <= 1 && c.Lines <= 0:
		return string(data), nil
	}
	lines := strings.SplitAfter(string(data), "\n")
	lines = lines[min(max(c.First-1, 0), len(lines)):]
	if c.Lines > 0 {
		lines = lines[:min(c.Lines, len(lines))]
	}
	return strings.Join(lines, ""), nil
}

func (s scratch) write(c scratchCall) (string, error) {
	data := []byte(c.Content)
	if c.Encoding == "base64" {
		var err error
		if data, err = base64.StdEncoding.DecodeString(c.Content); err != nil {
			return "", err
		}
	}
	if err := s.root.MkdirAll(path.Dir(c.Path), 0o777); err != nil {
		return "", err
	}
	return "written", s.root.WriteFile(c.Path, data, 0o666)
}

func (s scratch) replace(c scratchCall) (string, error) {
	data, err := s.root.ReadFile(c.Path)
	if err != nil {
		return "", err
	}
	n := strings.Count(string(data), c.Old)
	switch {
	case c.Old == "":
		return "", errors.New("old is empty")
	case n == 0:
		return "", errors.New("the old text does not occur")
	case n > 1 && !c.All:
		return "", fmt.Errorf("the old text occurs %d times: give more of what surrounds it, or all:true", n)
	}
	return fmt.Sprintf("replaced %d", n), s.root.WriteFile(c.Path, []byte(strings.ReplaceAll(string(data), c.Old, c.New)), 0o666)
}
