package program

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestOnlyPlaceholdersBecomeNames(t *testing.T) {
	run := Run{
		Program: Program{Name: "p"}, Inputs: []Input{{Ext: "mp4"}, {Ext: "wav"}}, Outputs: []Output{{Ext: "png", MaxBytes: 5}},
		Files: []File{{Name: "graph"}, {Name: "a.srt"}},
		Args:  []string{"-i", "{in:0}", "movie={in:1}:x={in:0}", "{file:graph}", "subtitles={file:a.srt}", "{out:0}", "{x}", "%{pts:hms}", "-metadata=t={}"},
	}
	l, err := run.layOut()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"-i", "in0.mp4", "movie=in1.wav:x=in0.mp4", "graph", "subtitles=a.srt", "out0.png", "{x}", "%{pts:hms}", "-metadata=t={}"}
	if !slices.Equal(l.args, want) || l.sizes[0] != 5 {
		t.Errorf("%q %v", l.args, l.sizes)
	}
}

func TestAnInvalidRunIsRefused(t *testing.T) {
	many := make([]Input, maxInputs+1)
	for name, tt := range map[string]struct {
		run  Run
		says string
	}{
		"an input beyond the last":  {Run{Args: []string{"{in:0}"}}, "name {in:0}"},
		"a negative one":            {Run{Args: []string{"{in:-1}"}, Inputs: []Input{{Ext: "x"}}}, "name {in:-1}"},
		"a number in another form":  {Run{Args: []string{"{in:00}"}, Inputs: []Input{{Ext: "x"}}}, "name {in:00}"},
		"an unknown file":           {Run{Args: []string{"{file:x}"}}, "name {file:x}"},
		"an extension with a path":  {Run{Inputs: []Input{{Ext: "x/../y"}}}, "is not an extension"},
		"no extension":              {Run{Outputs: []Output{{}}}, "is not an extension"},
		"an output that is huge":    {Run{Outputs: []Output{{Ext: "x", MaxBytes: maxOutput + 1}}}, "may not hold"},
		"a file that is an option":  {Run{Files: []File{{Name: "-i"}}}, "is not the name of a file"},
		"a file up":                 {Run{Files: []File{{Name: "../x"}}}, "is not the name of a file"},
		"a file that hides":         {Run{Files: []File{{Name: ".x"}}}, "is not the name of a file"},
		"a file like an input":      {Run{Files: []File{{Name: "in0.mp4"}}}, "is not the name of a file"},
		"a file like an output":     {Run{Files: []File{{Name: "out3"}}}, "is not the name of a file"},
		"two files of one name":     {Run{Files: []File{{Name: "x"}, {Name: "x"}}}, "two files are named x"},
		"too many inputs":           {Run{Inputs: many}, "513 inputs"},
		"an argument with a zero":   {Run{Args: []string{"a\x00b"}}, "zero byte"},
		"arguments without end":     {Run{Args: []string{strings.Repeat("x", maxArgs)}}, "more than 128 KiB"},
		"texts without end":         {Run{Files: []File{{Name: "x", Data: make([]byte, maxText+1)}}}, "more than 16 MiB"},
		"an output where none goes": {Run{ReadOnly: true, Outputs: []Output{{Ext: "x"}}}, "may only read"},
	} {
		tt.run.Program.Name = "p"
		if _, err := tt.run.layOut(); err == nil || !strings.Contains(err.Error(), tt.says) || !strings.HasPrefix(err.Error(), "p cannot be run: ") {
			t.Errorf("%s: %v, want %q", name, err, tt.says)
		}
	}
}

func TestAProgramIsTakenOnlyFromWhereNobodyElseWrites(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("programs are run on Linux")
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	elf, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	elf = elf[:64]
	put := func(name string, data []byte, mode os.FileMode) string {
		path := filepath.Join(base, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	good := put("bin/good", elf, 0o755)
	link := filepath.Join(base, "link")
	if err := os.Symlink(good, link); err != nil {
		t.Fatal(err)
	}
	inRoot := filepath.Join(base, "bin", "inroot")
	if err := os.Symlink(put("work/tool", elf, 0o755), inRoot); err != nil {
		t.Fatal(err)
	}
	open := put("open/tool", elf, 0o755)
	if err := os.Chmod(filepath.Dir(open), 0o777); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ path, says string }{
		"good":       {good, ""},
		"link":       {link, ""},
		"inroot":     {inRoot, "where domains may write"},
		"writable":   {put("bin/writable", elf, 0o757), "may be written by all users"},
		"openfolder": {open, "may be written by all users"},
		"plain":      {put("bin/plain", elf, 0o644), "is not executable"},
		"script":     {put("bin/script", []byte("#!/bin/sh\n"), 0o755), "scripts cannot be run"},
		"folder":     {filepath.Join(base, "bin"), "is not a regular file"},
		"nowhere":    {filepath.Join(base, "nowhere"), "no such file"},
		"relative":   {"bin/good", "is not an absolute path"},
	} {
		p, err := Finder{Paths: map[string]string{name: tt.path}, Roots: func() []string { return []string{filepath.Join(base, "work")} }}.Find(name)
		switch {
		case (err == nil) != (tt.says == "") || err != nil && !strings.Contains(err.Error(), tt.says):
			t.Errorf("%s: %v, want %q", name, err, tt.says)
		case err == nil && p.Path != good:
			t.Errorf("%s is at %s", name, p.Path)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := (Finder{}).Find("ffprobe"); err == nil || !strings.Contains(err.Error(), "program ffprobe is not installed, or not in a folder of PATH: the package ffmpeg has it (apt-get install ffmpeg") {
		t.Errorf("without ffprobe it says %v", err)
	}
	if _, err := (Finder{}).Find("sh"); err == nil || !strings.Contains(err.Error(), "is not one that the host knows (ffmpeg, ffprobe)") {
		t.Errorf("sh: %v", err)
	}
}

func TestProgressIsReportedPerBlockHoweverItArrives(t *testing.T) {
	text := "frame=1\nout_time_us= 40000\nprogress=continue\nno block\n" + strings.Repeat("x", 5000) + "=1\nframe=2\x1b[0m\nprogress=end\nframe=3\n"
	want := []map[string]string{{"frame": "1", "out_time_us": "40000", "progress": "continue"}, {"frame": `2\u001b[0m`, "progress": "end"}}
	for _, size := range []int{1, 7, len(text)} {
		var got []map[string]string
		p := progress{tell: func(m map[string]string) { got = append(got, m) }}
		for part := range slices.Chunk([]byte(text), size) {
			if n, err := p.Write(part); n != len(part) || err != nil {
				t.Fatal(n, err)
			}
		}
		if !slices.EqualFunc(got, want, maps.Equal) {
			t.Errorf("in parts of %d bytes: %v", size, got)
		}
	}
}

func TestTheEndOfTheOutputIsKept(t *testing.T) {
	full := 0
	p := tail{keep: 10, most: 20, full: func() { full++ }}
	for _, s := range []string{"one\n", "two\n", "three\n", "four\n", "five\n", "six\n"} {
		if _, err := p.Write([]byte(s)); err != nil {
			t.Fatal(err)
		}
	}
	if p.text() != "five\nsix\n" || full != 1 {
		t.Errorf("%q is kept, and it was full %d times", p.text(), full)
	}
}
