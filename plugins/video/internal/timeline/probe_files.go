package timeline

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
	"github.com/fcp-host/fcp-host/plugins/video/internal/media"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

// ffprobeWant is the want for probing media files.
const ffprobeWant = "program:ffprobe"

// maxProbes bounds the number of files that one query or action probes.
const maxProbes = 100

// probeResult is what probing the file of a medium again found.
type probeResult struct {
	*media.Medium               // as in the document
	current       *media.Medium // as the file is now, nil if it could not be probed
	err           error
}

// probeFiles probes the files of media concurrently.
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

// probeAll probes the files of all media, if ffprobe is granted.
func probeAll(v *film.View) []probeResult {
	if !v.Can(ffprobeWant) {
		return nil
	}
	return probeFiles(v.Model.Media(), func(r ...pdk.Request) []pdk.Answer { return pdk.All(v, r...) })
}

// differs reports whether the file no longer matches the document.
func (f *probeResult) differs() bool {
	if f.current == nil {
		return false
	}
	was := *f.Medium
	was.Declared = false
	return otio.Print(was.Object()) != otio.Print(f.current.Object())
}

// news describes what changed, "" if nothing did.
func (f *probeResult) news() string {
	switch {
	case f.err != nil && unusable(f.Medium) != "":
		return unusable(f.Medium)
	case f.err != nil:
		return f.err.Error()
	case f.differs():
		return fmt.Sprintf("the file has changed: now %s (the action refresh updates it)", f.current.What())
	}
	return ""
}

func refreshAction() pdk.SessionAction[*film.Film] {
	return pdk.SessionAction[*film.Film]{Run: refreshMedia, Session: abi.Session{Name: "refresh", Syntax: "refresh [MEDIA…]", Summary: "probe the media files again, and update what changed", Brief: "refresh [MEDIA] · probe the files again", Wants: []string{ffprobeWant}}}
}

func refreshMedia(c *film.Ctx, a pdk.Args, _ []byte) error {
	f := c.Model
	list := f.Media()
	if len(a.Positionals) > 0 {
		list = nil
		for _, ref := range a.Texts(0) {
			m := pdk.Must(f.Medium(ref))
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
			pdk.Check(film.PutMedium(c, m.current))
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
