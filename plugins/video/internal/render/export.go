package render

import (
	"bytes"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// ExportKind is a file format of another program to which a project can be exported.
type ExportKind struct {
	Name  string
	Ext   string // file extension without a dot
	About string

	write func(p *Project) ([]byte, []string, error)
}

// Exports returns the export formats.
func Exports() []ExportKind {
	return []ExportKind{
		{"edl", "edl", "an edit decision list (CMX3600) of V1 and its sound", exportEDL},
		{"mlt", "mlt", "a project of MLT, for melt, Kdenlive and Shotcut", exportMLT},
		{"srt", "srt", "the captions as subtitles, or all texts where there are no captions", exportSRT},
		{"ffcommand", "sh", "a shell script that renders the film with ffmpeg", exportScript},
	}
}

// Export writes a project in one of the formats of Exports. lost has a sentence for each thing that the format cannot
// hold.
func Export(p *Project, kind string) (data []byte, lost []string, err error) {
	if err := p.check(); err != nil {
		return nil, nil, err
	}
	var names []string
	for _, k := range Exports() {
		if k.Name == kind {
			data, lost, err = k.write(p)
			for i, what := range lost {
				lost[i] = kind + " does not hold " + what
			}
			return data, lost, err
		}
		names = append(names, k.Name)
	}
	return nil, nil, fmt.Errorf("there is no export %q; there are %s", kind, strings.Join(names, ", "))
}

// exportSRT writes the captions as SubRip.
func exportSRT(p *Project) ([]byte, []string, error) {
	var texts []Text
	for _, t := range p.Texts {
		if t.Style == "caption" {
			texts = append(texts, t)
		}
	}
	if texts == nil {
		texts = slices.Clone(p.Texts)
	}
	slices.SortStableFunc(texts, func(a, b Text) int { return a.From - b.From })
	var out bytes.Buffer
	n := 0
	for _, t := range texts {
		// An empty line would end the caption.
		var lines []string
		for _, line := range strings.Split(cleanText(t.Text), "\n") {
			if line = strings.TrimSpace(line); line != "" {
				lines = append(lines, line)
			}
		}
		if lines == nil {
			continue
		}
		n++
		fmt.Fprintf(&out, "%d\n%s --> %s\n%s\n\n", n, p.millis(t.From), p.millis(t.From+t.Frames), strings.Join(lines, "\n"))
	}
	return out.Bytes(), nil, nil
}

// millis prints a frame's time in the format of SubRip.
func (p *Project) millis(frame int) string {
	r := p.seconds(frame * 1000)
	ms := new(big.Int).Div(r.Num(), r.Denom()).Int64()
	return fmt.Sprintf("%02d:%02d:%02d,%03d", ms/3600000, ms/60000%60, ms/1000%60, ms%1000)
}
