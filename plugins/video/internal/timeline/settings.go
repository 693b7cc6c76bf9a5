package timeline

import (
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
	"github.com/fcp-host/fcp-host/plugins/video/internal/media"
	"github.com/fcp-host/fcp-host/plugins/video/internal/otio"
)

func mediaObjects(media []*media.Medium) otio.List {
	out := otio.List{}
	for _, m := range media {
		out = append(out, m.Object())
	}
	return out
}

// projectKeys are the keys that set the project.
var projectKeys = []pdk.Parameter{filmSize, fps, sample, background}

// readSettings reads the keys that set the project. given reports whether size or rate are among them.
func readSettings(s *film.Settings, a pdk.Args) (given bool) {
	if size, ok := filmSize.Lookup(a); ok {
		s.Width, s.Height, given = size.w, size.h, true
	}
	if r, ok := fps.Lookup(a); ok {
		s.Rate, given = r, true
	}
	if n, ok := sample.Lookup(a); ok {
		s.Sample = n
	}
	if c, ok := background.Lookup(a); ok {
		s.Background = c
	}
	return given
}
