package timeline

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
	"github.com/fcp-host/fcp-host/plugins/video/internal/render"
)

// buildCommand returns the command that renders the format an op names, or the first format.
func buildCommand(f *film.Film, a pdk.Args) (*render.Project, *render.Command, error) {
	names := pdk.Map(render.Formats(), func(f render.Format) string { return f.Name })
	name := names[0]
	if len(a.Positionals) > 0 {
		word, ok := pdk.OneOf(a.Text(0), names)
		if !ok {
			return nil, nil, pdk.Errorf("there is no format %s: there are %s", pdk.Quote(a.Text(0)), strings.Join(names, ", ")).Instead(a.Text(0), pdk.Nearest(a.Text(0), names)...)
		}
		name = word
	}
	p := pdk.Must(project(f))
	return p, pdk.Must(render.Build(p, name)), nil
}

// commandLine prints a command with the paths of its media in place of the placeholders.
func commandLine(p *render.Project, cmd *render.Command) string {
	names := []string{"{out:0}", "out." + cmd.Output, "{file:graph.txt}", "graph.txt"}
	for i, m := range cmd.Inputs {
		names = append(names, fmt.Sprintf("{in:%d}", i), pdk.Quote(p.Media[m].Path))
	}
	return strings.NewReplacer(names...).Replace(strings.Join(cmd.Args, " "))
}
