package render

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strings"
)

// exportScript writes a shell script that renders the film in the first of Formats.
func exportScript(p *Project) ([]byte, []string, error) {
	c, err := Build(p, Formats()[0].Name)
	if err != nil {
		return nil, nil, err
	}
	var out bytes.Buffer
	out.WriteString("#!/bin/sh\n# Renders a film: sh THIS [film." + c.Output + "]\nset -eu\nhere=$(CDPATH= cd -- \"$(dirname -- \"$0\")\" && pwd)\nfrom=$PWD\nout=${1:-film." + c.Output + "}\ncase $out in /*) ;; *) out=$from/$out ;; esac\nwork=$(mktemp -d)\ntrap 'rm -rf \"$work\"' EXIT\ncd \"$work\"\n")
	for _, f := range c.Files {
		if strings.HasSuffix(f.Name, ".ttf") {
			fmt.Fprintf(&out, "base64 -d > %s <<'FONT'\n", f.Name)
			for text := base64.StdEncoding.EncodeToString(f.Data); text != ""; {
				n := min(len(text), 120)
				out.WriteString(text[:n] + "\n")
				text = text[n:]
			}
			out.WriteString("FONT\n")
			continue
		}
		fmt.Fprintf(&out, "printf '%%s' %s > %s\n", shellQuote(string(f.Data)), f.Name)
	}
	out.WriteString("ffmpeg")
	for i := 0; i < len(c.Args); i++ {
		a := c.Args[i]
		switch {
		case a == "-progress":
			i++ // skips its value, too: it is for the host
			continue
		case a == "{out:0}":
			a = `"file:$out"`
		case a == "-i":
			i++
			var n int
			fmt.Sscanf(c.Args[i], "{in:%d}", &n)
			m := &p.Media[c.Inputs[n]]
			if a += " " + inputPath(m.Path); m.Still && strings.Contains(m.Path, "%") {
				a = "-f image2 -pattern_type none " + a // or ffmpeg takes the name for a pattern
			}
		case strings.HasPrefix(a, "{file:"):
			a = strings.TrimSuffix(strings.TrimPrefix(a, "{file:"), "}")
		case strings.ContainsAny(a, " []"):
			a = shellQuote(a)
		}
		sep := " "
		if strings.HasPrefix(a, "-") {
			sep = " \\\n  "
		}
		out.WriteString(sep + a)
	}
	out.WriteString("\n")
	return out.Bytes(), nil, nil
}

// shellQuote quotes a word for the shell.
func shellQuote(s string) string {
	return "'" + strings.ReplaceAll(strings.ReplaceAll(s, "\x00", ""), "'", `'\''`) + "'"
}

// inputPath prevents ffmpeg from taking a path for a protocol.
func inputPath(path string) string {
	if strings.HasPrefix(path, "/") {
		return shellQuote("file:" + path)
	}
	return `"file:$here/"` + shellQuote(path)
}
