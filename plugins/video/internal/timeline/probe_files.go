package timeline

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/media"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

// ffprobeWant is the want that looking at files takes.
const ffprobeWant = "program:ffprobe"

// maxProbes bounds the files that a query looks at.
const maxProbes = 100

// probeResult is what became of the file of a medium.
type probeResult struct {
	*media.Medium               // as the document has it
	current       *media.Medium // as the file is, nil where nobody can look
	err           error
}

// probeFiles looks at the files of media, side by side.
func probeFiles(list []*media.Medium, ask func(...pdk.Request) []pdk.Answer) (out []probeResult) {
	var requests []pdk.Request
	for _, m := range list[:min(len(list), maxProbes)] {
		requests = append(requests, pdk.RunProgram(abi.Run{Program: "ffprobe", Inputs: []string{m.Path},
			Args: []string{"-v", "error", "-of", "json", "-show_format", "-show_streams", "-i", "{in:0}"}}))
	}
	for i, a := range ask(requests...) {
		f := probeResult{Medium: list[i], err: a.Err}
		if a.Err == nil {
			if f.current, f.err = media.ParseProbe(f.Path, a.Data); f.err == nil {
				f.current.ID = f.ID
			}
		}
		out = append(out, f)
	}
	return out
}

// probeAll looks at the files of all media, where a query may.
func probeAll(v *view) []probeResult {
	if !v.Can(ffprobeWant) {
		return nil
	}
	return probeFiles(v.Model.media(), func(r ...pdk.Request) []pdk.Answer { return pdk.All(v, r...) })
}

// differs reports whether the file is not what the document says of it.
func (f *probeResult) differs() bool {
	if f.current == nil {
		return false
	}
	was := *f.Medium
	was.Declared = false
	return otio.Print(was.Object()) != otio.Print(f.current.Object())
}

// news says what became of the file, "" where it is as it was.
func (f *probeResult) news() string {
	switch {
	case f.err != nil && unusable(f.Medium) != "":
		return unusable(f.Medium)
	case f.err != nil:
		return f.err.Error()
	case f.differs():
		return fmt.Sprintf("another file than it was: now %s (the action refresh takes that)", f.current.What())
	}
	return ""
}

func refreshAction() pdk.SessionVerb[*Film] {
	return pdk.SessionVerb[*Film]{Run: refreshMedia, Session: abi.Session{Name: "refresh", Syntax: "refresh [MEDIA…]", Summary: "look at the files of media again, and take what changed", Brief: "refresh [MEDIA] · look at the files again", Wants: []string{ffprobeWant}}}
}

func refreshMedia(c *ctx, a pdk.Args, _ []byte) error {
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
	for _, m := range probeFiles(list, func(r ...pdk.Request) []pdk.Answer { return pdk.All(c, r...) }) {
		switch {
		case m.err != nil:
			failed = append(failed, fmt.Sprintf("media %s: %s", pdk.Quote(m.ID), m.news()))
		case m.differs():
			was := m.What()
			if err := putMedium(c, m.current); err != nil {
				return err
			}
			changed = append(changed, fmt.Sprintf("%s; it was %s", m.current, was))
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
