package style

import (
	"slices"
	"strings"
	"sync"
	"unicode"
)

// Shape is a type of shape that `add` makes.
type Shape struct {
	Name  string
	W, H  float64
	Style Style // without colours
	// probe reports whether a style is that of a shape of this type, made by any editor.
	probe func(s Style) bool
}

func shapeIs(name string) func(Style) bool {
	return func(s Style) bool { return s.Is("shape", name) }
}

func bare(token string) func(Style) bool {
	return func(s Style) bool { return s.Bare(token) || s.Is("shape", token) }
}

func turned(s Style) bool { return s.Is("direction", "south") || s.Is("direction", "north") }

func cylinder(s Style) bool {
	name, _ := s.Get("shape")
	return name == "cylinder3" || name == "cylinder" || name == "cylinder2"
}

// Shapes lists the types in the order in which a style is tested: specific ones before
// general ones.
func Shapes() []Shape {
	return []Shape{
		{"queue", 140, 60, "shape=cylinder3;whiteSpace=wrap;html=1;boundedLbl=1;backgroundOutline=1;size=15;direction=south;anchorPointDirection=0;",
			func(s Style) bool { return cylinder(s) && turned(s) }},
		{"db", 120, 80, "shape=cylinder3;whiteSpace=wrap;html=1;boundedLbl=1;backgroundOutline=1;size=15;", cylinder},
		{"circle", 60, 60, "ellipse;whiteSpace=wrap;html=1;aspect=fixed;", bareEllipse},
		{"decision", 100, 80, "rhombus;whiteSpace=wrap;html=1;", bare("rhombus")},
		{"api", 120, 80, "shape=hexagon;perimeter=hexagonPerimeter2;whiteSpace=wrap;html=1;fixedSize=1;size=20;", shapeIs("hexagon")},
		{"cloud", 140, 60, "ellipse;shape=cloud;whiteSpace=wrap;html=1;", shapeIs("cloud")},
		{"actor", 40, 60, "shape=umlActor;verticalLabelPosition=bottom;verticalAlign=top;html=1;outlineConnect=0;",
			func(s Style) bool { return s.Is("shape", "umlActor") || s.Is("shape", "actor") }},
		{"doc", 120, 80, "shape=document;whiteSpace=wrap;html=1;boundedLbl=1;", shapeIs("document")},
		{"triangle", 80, 80, "triangle;whiteSpace=wrap;html=1;direction=north;anchorPointDirection=0;", bare("triangle")},
		{"process", 120, 60, "shape=process;whiteSpace=wrap;html=1;backgroundOutline=1;", shapeIs("process")},
		{"note", 120, 80, "shape=note;whiteSpace=wrap;html=1;backgroundOutline=1;size=15;", shapeIs("note")},
		{"text", 120, 30, "text;html=1;align=center;verticalAlign=middle;whiteSpace=wrap;rounded=0;fillColor=none;strokeColor=none;", bare("text")},
		{"pool", 640, 120, "swimlane;html=1;childLayout=stackLayout;resizeParent=1;resizeParentMax=0;horizontal=0;startSize=30;horizontalStack=0;whiteSpace=wrap;", never},
		{"lane", 640, 120, "swimlane;html=1;startSize=30;horizontal=0;whiteSpace=wrap;", never},
		{"table", 240, 120, "shape=table;startSize=30;container=1;collapsible=0;childLayout=tableLayout;fontStyle=1;align=center;html=1;whiteSpace=wrap;", never},
		{"class", 160, 86, "swimlane;fontStyle=1;align=center;verticalAlign=top;childLayout=stackLayout;horizontal=1;startSize=26;horizontalStack=0;" +
			"resizeParent=1;resizeParentMax=0;resizeLast=0;collapsible=1;marginBottom=0;whiteSpace=wrap;html=1;", never},
		{"entity", 180, 60, "shape=table;startSize=30;container=1;collapsible=1;childLayout=tableLayout;fixedRows=1;rowLines=0;fontStyle=1;align=center;" +
			"resizeLast=1;html=1;whiteSpace=wrap;", never},
		{"image", 80, 80, "shape=image;verticalLabelPosition=bottom;verticalAlign=top;labelBackgroundColor=default;imageAspect=0;aspect=fixed;html=1;", never},
		{"frame", 320, 200, "shape=umlFrame;whiteSpace=wrap;html=1;width=120;height=30;pointerEvents=0;container=1;collapsible=0;recursiveResize=0;", never},
		{"participant", 100, 300, "shape=umlLifeline;perimeter=lifelinePerimeter;whiteSpace=wrap;html=1;container=1;dropTarget=0;collapsible=0;recursiveResize=0;" +
			"outlineConnect=0;portConstraint=eastwest;newEdgeStyle={\"edgeStyle\":\"elbowEdgeStyle\",\"elbow\":\"vertical\",\"curved\":0,\"rounded\":0};size=40;", never},
		{"event", 40, 40, bpmnPoints + "shape=mxgraph.bpmn.event;html=1;verticalLabelPosition=bottom;labelBackgroundColor=default;verticalAlign=top;align=center;" +
			"perimeter=ellipsePerimeter;outlineConnect=0;aspect=fixed;outline=standard;symbol=general;", never},
		{"gateway", 50, 50, bpmnPoints + "shape=mxgraph.bpmn.gateway2;html=1;verticalLabelPosition=bottom;labelBackgroundColor=default;verticalAlign=top;align=center;" +
			"perimeter=rhombusPerimeter;outlineConnect=0;outline=none;symbol=none;gwType=exclusive;", never},
		{"task", 120, 80, "shape=mxgraph.bpmn.task;rectStyle=rounded;size=10;whiteSpace=wrap;html=1;taskMarker=abstract;", never},
		{"state", 120, 50, "rounded=1;whiteSpace=wrap;html=1;arcSize=40;", func(s Style) bool { return plainBox(s) && s.Is("rounded", "1") && s.Is("arcSize", "40") }},
		{"initial", 30, 30, "ellipse;html=1;shape=startState;fillColor=#000000;strokeColor=#000000;verticalLabelPosition=bottom;verticalAlign=top;aspect=fixed;", shapeIs("startState")},
		{"final", 30, 30, "ellipse;html=1;shape=endState;fillColor=#000000;strokeColor=#000000;verticalLabelPosition=bottom;verticalAlign=top;aspect=fixed;", shapeIs("endState")},
		{"person", 200, 180, "html=1;fontSize=11;dashed=0;whiteSpace=wrap;fillColor=#083F75;strokeColor=#06315C;fontColor=#ffffff;shape=mxgraph.c4.person2;align=center;" + c4Meta +
			"points=[[0.5,0,0],[1,0.5,0],[1,0.75,0],[0.75,1,0],[0.5,1,0],[0.25,1,0],[0,0.75,0],[0,0.5,0]];", never},
		{"system", 240, 120, c4Box + "c4=system;fillColor=#1061B0;strokeColor=#0D5091;", c4Kind("system", "#1061B0", "#1168BD", "#8C8496", "#999999")},
		{"component", 240, 120, c4Box + "c4=component;fillColor=#63BEF2;strokeColor=#2086C9;", c4Kind("component", "#63BEF2", "#85BBF0")},
		{"container", 240, 120, c4Box + "fillColor=#23A2D9;strokeColor=#0E7DAD;", func(s Style) bool { return plainBox(s) && c4(s) }},
		{"svc", 140, 60, "rounded=1;whiteSpace=wrap;html=1;", func(s Style) bool { return plainBox(s) && s.Is("rounded", "1") }},
		{"box", 120, 60, "rounded=0;whiteSpace=wrap;html=1;", plainBox},
	}
}

// bpmnPoints holds the connection points of events and gateways in draw.io.
const bpmnPoints = "points=[[0.145,0.145,0],[0.5,0,0],[0.855,0.145,0],[1,0.5,0],[0.855,0.855,0],[0.5,1,0],[0.145,0.855,0],[0,0.5,0]];"

// c4Meta and c4Box are the common parts of the styles of draw.io's C4 shapes.
const (
	c4Meta = "metaEdit=1;metaData={\"c4Type\":{\"editable\":false}};"
	c4Box  = "rounded=1;whiteSpace=wrap;html=1;fontSize=11;labelBackgroundColor=none;fontColor=#ffffff;align=center;arcSize=10;" + c4Meta + "resizable=0;" +
		"points=[[0.25,0,0],[0.5,0,0],[0.75,0,0],[1,0.25,0],[1,0.5,0],[1,0.75,0],[0.75,1,0],[0.5,1,0],[0.25,1,0],[0,0.75,0],[0,0.5,0],[0,0.25,0]];"
)

// c4 reports whether a style is that of a shape of draw.io's C4 library.
func c4(s Style) bool {
	meta, _ := s.Get("metaData")
	return strings.Contains(meta, "c4Type")
}

// c4Kind returns a probe for one kind of C4 shape: it looks for our own key, which draw.io
// keeps, or for the colours of draw.io's library.
func c4Kind(kind string, colors ...string) func(Style) bool {
	return func(s Style) bool {
		if _, own := s.Get("c4"); own {
			return plainBox(s) && s.Is("c4", kind)
		}
		fill, _ := s.Get("fillColor")
		return plainBox(s) && c4(s) && slices.ContainsFunc(colors, func(c string) bool { return strings.EqualFold(c, fill) })
	}
}

// never is the probe of types that Kind recognizes without a probe.
func never(Style) bool { return false }

// Built reports whether a type consists of more than a style: parts, other shapes or a
// picture.
func Built(name string) bool {
	return slices.Contains([]string{"pool", "lane", "table", "class", "entity", "image", "frame", "participant", "person", "system", "container", "component"}, name)
}

func bareEllipse(s Style) bool {
	if _, other := s.Get("shape"); other {
		return s.Is("shape", "ellipse")
	}
	return s.Bare("ellipse")
}

func plainBox(s Style) bool {
	_, other := s.Get("shape")
	return !other
}

// Order lists the types' names in the order in which clients see them.
func Order() []string {
	return append(Basic(), "participant", "event", "gateway", "task", "state", "initial", "final", "person", "system", "container", "component")
}

// Basic lists the types that references may name without quotes, as type:label. The names
// of the others are also names of custom properties and style keys.
func Basic() []string {
	return []string{"box", "svc", "circle", "decision", "db", "api", "cloud", "actor", "doc", "queue", "triangle", "process", "note", "text",
		"pool", "lane", "table", "class", "entity", "image", "frame"}
}

// ShapeNamed finds a type by its name.
func ShapeNamed(name string) (Shape, bool) {
	for _, s := range probes() {
		if s.Name == name {
			return s, true
		}
	}
	return Shape{}, false
}

// Kind returns the type of a vertex with this style: one of the types, "group", "lane",
// "image", or a stencil's own name.
func (s Style) Kind() string {
	name, has := s.Get("shape")
	switch {
	case s.Bare("swimlane") || name == "swimlane":
		if !s.Is("childLayout", "stackLayout") {
			return "lane"
		}
		if _, list := s.Get("resizeLast"); list {
			return "class"
		}
		return "pool"
	case name == "table" && s.Is("fixedRows", "1"):
		return "entity"
	case name == "table":
		return "table"
	case name == "umlFrame":
		return "frame"
	case name == "umlLifeline":
		return "participant"
	case !has && s.Is("targetShapes", "umlLifeline"):
		return "activation"
	case name == "mxgraph.bpmn.event", name == "mxgraph.bpmn.task":
		return name[len("mxgraph.bpmn."):]
	case name == "mxgraph.bpmn.task2":
		return "task"
	case name == "mxgraph.bpmn.gateway", name == "mxgraph.bpmn.gateway2":
		return "gateway"
	case name == "mxgraph.c4.person", name == "mxgraph.c4.person2":
		return "person"
	case s.Bare("group") || s.Is("container", "1"):
		return "group"
	case name == "image" || s.Bare("image"):
		if v, _ := s.Get("image"); strings.HasPrefix(v, "img/lib/") {
			library, _, _ := strings.Cut(v[len("img/lib/"):], "/")
			return stencil(library, strings.TrimSuffix(v[strings.LastIndexByte(v, '/')+1:], ".svg"))
		}
		return "image"
	}
	if own, ok := strings.CutPrefix(name, "mxgraph."); has && ok {
		library, _, _ := strings.Cut(own, ".")
		// Prefer the icon in a frame to the frame.
		for _, key := range []string{"resIcon", "prIcon", "grIcon", "prType"} {
			if v, ok := s.Get(key); ok && v != "" {
				own = v
				break
			}
		}
		return stencil(library, own[strings.LastIndexByte(own, '.')+1:])
	}
	for _, t := range probes() {
		if t.probe(s) {
			return t.Name
		}
	}
	if has && !strings.HasPrefix(name, "stencil(") {
		return name
	}
	return "box"
}

// stencil returns the type of a stencil or a picture of one of draw.io's libraries. A name
// that is also a type of this domain is prefixed with its library.
func stencil(library, name string) string {
	name = StencilName(name)
	if _, plain := ShapeNamed(name); !plain && name != "group" && name != "line" {
		return name
	}
	switch library = StencilName(library); library {
	case "aws4":
		library = "aws"
	case "azure2":
		library = "azure"
	case "gcp2":
		library = "gcp"
	case "kubernetes":
		library = "k8s"
	case "cisco19":
		library = "cisco"
	}
	return library + "." + name
}

// StencilName returns the name of a stencil or a picture in the form of a type: lower-case
// letters and digits, separated by _.
func StencilName(s string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}), "_")
}

// probes returns the result of Shapes. It is never written to.
var probes = sync.OnceValue(Shapes)

// Guess picks a type for a label that was given without a type.
func Guess(label string) string {
	if strings.HasSuffix(label, "?") {
		return "decision"
	}
	words := Words(label)
	for _, g := range []struct{ kind, words string }{
		{"db", " db database store storage postgres postgresql mysql mongo mongodb redis cache warehouse table userdb sqlite dynamodb s3 bucket "},
		{"queue", " queue kafka topic stream rabbitmq sqs broker bus "},
		{"api", " api gateway endpoint graphql rest proxy "},
		{"actor", " user users customer client actor person admin operator visitor "},
		{"cloud", " cloud internet cdn network "},
		{"doc", " doc document report file invoice form "},
		{"svc", " service svc server worker backend frontend app microservice engine "},
		{"circle", " start end stop begin finish "},
	} {
		for i := len(words) - 1; i >= 0; i-- {
			if strings.Contains(g.words, " "+words[i]+" ") {
				return g.kind
			}
		}
	}
	return "box"
}

// Words splits a label at camelCase boundaries and at characters other than letters and
// digits, and converts the words to lower case.
func Words(label string) []string {
	var out []string
	var word []rune
	flush := func() {
		if len(word) > 0 {
			out = append(out, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	runes := []rune(label)
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
			continue
		case unicode.IsUpper(r) && i > 0 && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			flush()
		}
		word = append(word, r)
	}
	flush()
	return out
}
