package timeline

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

// ffprobe is the want that looking at files takes.
const ffprobe = "program:ffprobe"

// maxLooks bounds the files that a query looks at.
const maxLooks = 100

// found is what became of the file of a medium.
type found struct {
	*Medium         // as the document has it
	now     *Medium // as the file is, nil where nobody can look
	err     error
}

// look looks at the files of media, side by side.
func look(list []*Medium, ask func(...pdk.Request) []pdk.Answer) (out []found) {
	var requests []pdk.Request
	for _, m := range list[:min(len(list), maxLooks)] {
		requests = append(requests, pdk.RunProgram(abi.Run{Program: "ffprobe", Inputs: []string{m.Path},
			Args: []string{"-v", "error", "-of", "json", "-show_format", "-show_streams", "-i", "{in:0}"}}))
	}
	for i, a := range ask(requests...) {
		f := found{Medium: list[i], err: a.Err}
		if a.Err == nil {
			if f.now, f.err = probed(f.Path, a.Data); f.err == nil {
				f.now.ID = f.ID
			}
		}
		out = append(out, f)
	}
	return out
}

// looked looks at the files of all media, where a query may.
func looked(v *view) []found {
	if !v.Can(ffprobe) {
		return nil
	}
	return look(v.Model.media(), func(r ...pdk.Request) []pdk.Answer { return pdk.All(v, r...) })
}

// another reports whether the file is not what the document says of it.
func (f *found) another() bool {
	if f.now == nil {
		return false
	}
	was := *f.Medium
	was.Declared = false
	return otio.Print(was.object()) != otio.Print(f.now.object())
}

// news says what became of the file, "" where it is as it was.
func (f *found) news() string {
	switch {
	case f.err != nil && f.unusable() != "":
		return f.unusable()
	case f.err != nil:
		return f.err.Error()
	case f.another():
		return fmt.Sprintf("another file than it was: now %s (the action refresh takes that)", f.now.what())
	}
	return ""
}

func refreshAction() pdk.SessionVerb[*Film] {
	return pdk.SessionVerb[*Film]{Run: refresh, Session: abi.Session{Name: "refresh", Syntax: "refresh [MEDIA…]", Summary: "look at the files of media again, and take what changed", Brief: "refresh [MEDIA] · look at the files again", Wants: []string{ffprobe}}}
}

func refresh(c *ctx, a pdk.Args, _ []byte) error {
	f := c.Model
	list := f.media()
	if len(a.Positionals) > 0 {
		list = nil
		for _, ref := range a.Texts(0) {
			m, err := f.medium(ref)
			if err != nil {
				return err
			}
			list = append(list, m)
		}
	}
	if len(list) == 0 {
		return pdk.Unchanged("no media are known yet")
	}
	var changed, failed []string
	for _, m := range look(list, func(r ...pdk.Request) []pdk.Answer { return pdk.All(c, r...) }) {
		switch {
		case m.err != nil:
			failed = append(failed, fmt.Sprintf("media %s: %s", pdk.Quote(m.ID), m.news()))
		case m.another():
			was := m.what()
			if err := record(c, m.now); err != nil {
				return err
			}
			changed = append(changed, fmt.Sprintf("%s; it was %s", m.now, was))
		}
	}
	if len(changed) == 0 && len(failed) > 0 {
		return pdk.Errorf("%s", strings.Join(failed, "; "))
	}
	if len(changed) == 0 {
		return pdk.Unchanged("no file has changed: %s", pdk.Count(len(list), "file"))
	}
	for _, text := range failed {
		c.Warn("%s", text)
	}
	c.Changed("media %s", strings.Join(changed, "; media "))
	return nil
}
