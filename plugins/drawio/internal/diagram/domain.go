// Package diagram is the drawio domain: it combines the verbs, queries, selectors and file
// formats of the packages beside it, over mxfile.File.
package diagram

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/exporter"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/importer"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mindmap"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/pack"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/queries"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/rows"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/selector"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/sequence"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/verbs"
)

type file = mxfile.File

// Domain describes the drawio domain.
func Domain() *pdk.Domain[*file] {
	return &pdk.Domain[*file]{
		Name:       "drawio",
		Title:      "draw.io",
		Version:    "0.1.0",
		Summary:    "Edits draw.io diagrams: shapes, connections, groups, styles, pages and layout.",
		Keywords:   []string{"diagram", "flowchart", "architecture", "UML", "org chart", "mind map", "BPMN"},
		Extensions: []string{".drawio", ".xml", ".drawio.svg", ".drawio.png"},
		MIME:       []string{"application/vnd.jgraph.mxfile", "application/xml"},
		Magic: []abi.Magic{
			{Bytes: []byte("<mxfile")}, {Bytes: []byte("<mxGraphModel")}, {Bytes: []byte("<?xml")}, {Bytes: []byte("\x89PNG\r\n")},
		},
		View: &abi.View{Picture: "preview format:svg"},
		Jobs: pdk.Jobs(jobs),
		New:  func(r *abi.NewRequest) (*file, error) { return mxfile.New(r.Title), nil },
		Open: func(name string, data []byte) (*file, []string, error) {
			f, err := mxfile.Open(data)
			if err != nil {
				return nil, nil, err
			}
			f.Named = name
			return f, oddities(f), nil
		},
		Save:     exporter.Save,
		SaveAs:   func(f *file, to pdk.Target) ([]byte, error) { return exporter.SaveAs(f, to.Name) },
		Snapshot: (*file).Snapshot,
		Restore:  func(_ string, data []byte) (*file, error) { return mxfile.Restore(data) },
		State:    queries.State,
		Edits: func(typ string) pdk.Edit[*file] {
			if e := new(mxfile.Edit); typ == e.Type() {
				return e
			}
			return nil
		},
		Verbs:       verbs.All(),
		Common:      []string{"add", "connect", "group", "layout", "style", "label", "modify", "move", "remove", "page"},
		Selectors:   selector.Types(),
		Queries:     queries.All(exporter.PreviewQuery()),
		Session:     []pdk.SessionAction[*file]{importer.ImportVerb()},
		Formats:     exporter.Formats(),
		Positionals: []string{"(?:" + strings.Join(style.Basic(), "|") + "|group|lane):[^:/].*", "(?:" + strings.Join(pack.Names(), "|") + `)\.[a-z0-9_]+:.+`},
		Vocabulary:  vocabulary(),
		Help:        queries.Help,
		Synonyms:    synonyms(),
		Conventions: []string{
			"A REF is a shape's label (case, -, _ and spaces ignored, a unique prefix will do), type:label or group/label.",
			`An edge is named by its ends: style "Web App" -> DB dashed.`,
			"Without at: or near: free room is used. x,y count from the top left.",
			"fill:red is the CSS colour, theme:red the pastel pair.",
		},
		Example: []string{
			"add svc \"Auth API\" theme:blue",
			"add db Users theme:green near:\"Auth API\" dir:right",
			"connect \"Auth API\" -> Users label:queries style:dashed",
			"group \"Auth API\" Users as:Backend",
			"style Users fill:#fff2cc bold",
			"layout dir:LR by:groups",
		},
	}
}

// synonyms lists words that other tools use for verbs and queries. The name of a type alone
// means to add a shape of that type.
func synonyms() []abi.Synonym {
	var out []abi.Synonym
	for _, s := range []struct{ means, words string }{
		{"label", "rename relabel name caption text retitle multiplicity cardinality role"},
		{"style", "color colour fill paint recolor recolour restyle format theme"},
		{"resize", "scale size enlarge shrink"},
		{"move", "place position shift drag reposition put reconnect redirect retarget"},
		{"connect", "edge arrow join line wire draw connection connector"},
		{"disconnect", "unlink unjoin detach"},
		{"group", "cluster wrap"},
		{"ungroup", "dissolve unwrap"},
		{"layout", "arrange autolayout auto-layout tidy relayout reflow"},
		{"rotate", "turn spin"},
		{"order", "bring send"},
		{"swap", "exchange"},
		{"tooltip", "hint"},
		{"data", "property properties attribute meta metadata"},
		{"link", "url href hyperlink"},
		{"add", "shape node vertex draw insert"},
		{"page switch", "goto"},
		{"layer hide", "hide"},
		{"layer show", "show unhide"},
		{"layer lock", "lock"},
		{"layer unlock", "unlock"},
		{"find", "grep"},
		{"list", "shapes nodes elements"},
		{"connections *", "edges"},
		{"map", "overview outline"},
		{"lint", "check validate"},
		{"resize", "width height"},
		{"page switch", "switch"},
	} {
		for _, w := range strings.Fields(s.words) {
			out = append(out, abi.Synonym{Word: w, Means: s.means})
		}
	}
	for _, s := range [][2]string{
		{"->", "connect"}, {"remove edge", "disconnect"}, {"remove edges", "disconnect"}, {"remove connection", "disconnect"}, {"remove connections", "disconnect"}, {"remove arrow", "disconnect"}, {"remove line", "disconnect"},
		{"copy page", "page duplicate"}, {"row", "add row"}, {"column", "add column"}, {"field", "add field"}, {"method", "add method"}, {"remove color", "style"},
		{"@label", "@text"}, {"@name", "@text"}, {"@color", "@theme"}, {"@colour", "@theme"}, {"@in", "@group"}, {"@edge", "@edges"}, {"@connections", "@edges"}, {"@connection", "@edges"}, {"@neighbors", "@connected"}, {"@neighbours", "@connected"},
		{"direction:", "dir:"}, {"parent:", "in:"}, {"group:", "in:"}, {"container:", "in:"}, {"group:", "as:"}, {"algorithm:", "algo:"}, {"layout:", "algo:"}, {"gap:", "spacing:"}, {"margin:", "spacing:"}, {"padding:", "spacing:"},
		{"color:", "theme:"}, {"colour:", "theme:"}, {"angle:", "by:"}, {"degrees:", "by:"}, {"offset:", "by:"}, {"delta:", "by:"}, {"start:", "source-arrow:"}, {"end:", "target-arrow:"}, {"start-label:", "source-label:"}, {"from-label:", "source-label:"}, {"end-label:", "target-label:"}, {"to-label:", "target-label:"}, {"start:", "source-label:"}, {"end:", "target-label:"}, {"multiplicity:", "target-label:"}, {"cardinality:", "target-label:"}, {"from:", "source:"}, {"start:", "source:"}, {"end:", "target:"}, {"on:", "between:"}, {"into:", "between:"}, {"waypoints:", "via:"}, {"points:", "via:"}, {"text:", "label:"},
		{"attributes:", "fields:"}, {"members:", "fields:"}, {"columns:", "cols:"}, {"headers:", "cols:"}, {"swimlanes:", "lanes:"}, {"functions:", "methods:"}, {"operations:", "methods:"}, {"image:", "src:"}, {"base:", "type:"}, {"kind:", "type:"}, {"shape:", "type:"},
	} {
		out = append(out, abi.Synonym{Word: s[0], Means: s[1]})
	}
	for _, kind := range style.Order() {
		out = append(out, abi.Synonym{Word: kind, Means: "add " + kind})
	}
	return out
}

// vocabulary lists the types, themes, places and flags for the help.
func vocabulary() []abi.Section {
	var types, themes []string
	for _, name := range style.Order() {
		s, _ := style.ShapeNamed(name)
		types = append(types, fmt.Sprintf("%s %sx%s", name, mxfile.Num(s.W), mxfile.Num(s.H)))
	}
	for _, t := range style.Themes() {
		themes = append(themes, t.Name)
	}
	return []abi.Section{
		{Title: "Types", Lines: []string{strings.Join(types, ", ")}, Brief: strings.Join(style.Order(), " ")},
		{Title: "Packs", Lines: []string{"icons of " + strings.Join(pack.Names(), " ") + ": add PACK.NAME LABEL; query `types PACK` or `types WORD` to find names; PACK. is not needed after load PACK, or where the diagram has icons of it"},
			Brief: strings.Join(pack.Names(), " ") + ": add PACK.NAME LABEL (query types WORD)"},
		{Title: "Themes", Lines: []string{strings.Join(themes, " ")}},
		{Title: "Places", Lines: []string{
			"at:X,Y or a region: " + strings.Join(value.Regions(), " "),
			"dir: " + strings.Join(value.Directions(), " "),
		}, Brief: "at:X,Y|top-left|…; dir:above|below-left|… · between:A,B splits their edge"},
		{Title: "Heads", Lines: []string{strings.Join(style.HeadNames(), " ")}, Brief: "block open diamond crow-foot none …"},
		{Title: "Flags", Lines: []string{
			"bold italic underline rounded dashed dotted thick shadow, each also no-…; edges also solid curved straight orthogonal elbow er",
		}, Brief: "bold italic underline rounded dashed dotted thick shadow, no-…; edges: solid curved straight"},
		{Title: "Sequence", Brief: "help sequence", Lines: sequence.Help()},
		{Title: "Mind map", Brief: "help topic", Lines: mindmap.Help()},
		{Title: "Rows", Brief: "help rows", Lines: rows.Help()},
	}
}

// oddities lists what a reader should know about a file that was opened.
func oddities(f *file) []string {
	var out []string
	for i, p := range f.Pages {
		if p.Blank() {
			out = append(out, fmt.Sprintf("page %d is blank", i+1))
		}
		twice := 0
		for c := p.First(); c != nil; c = c.Next() {
			if c.Key != c.ID && c.ID != "" {
				twice++
			}
		}
		if twice > 0 {
			out = append(out, fmt.Sprintf("page %d has %s whose id another cell has too", i+1, pdk.Count(twice, "cell")))
		}
		if lost := model.Undrawn(p); len(lost) > 0 {
			out = append(out, fmt.Sprintf("page %d: draw.io does not draw %s without a geometry: %s (route draws them)", i+1, pdk.Count(len(lost), "edge"), model.Some(lost)))
		}
		if lost := model.InCycles(p); len(lost) > 0 {
			out = append(out, fmt.Sprintf("page %d: draw.io does not show %s, whose parents lie in each other: %s", i+1, pdk.Count(len(lost), "cell"), model.Some(lost)))
		}
		if len(out) >= abi.MaxWarnings {
			break
		}
	}
	return out
}
