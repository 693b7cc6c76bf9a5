package svg

import (
	"math"
	"strings"
)

// piece is a part of a shape's drawing.
type piece struct {
	d      string
	open   bool   // lines only, never filled
	fill   string // in place of the shape's own, "" for that
	bare   bool   // without a line
	shadow bool   // the shape's outer line, which throws the shadow
}

// body is an outline, and lines upon it.
func body(outline string, lines ...string) []piece {
	out := []piece{{d: outline, shadow: true}}
	for _, l := range lines {
		if l != "" {
			out = append(out, piece{d: l, open: true})
		}
	}
	return out
}

// alias are stencils that look like a plain shape.
func alias(name string) string {
	switch strings.TrimPrefix(name, "mxgraph.") {
	case "flowchart.process", "bootstrap.rect", "aws4.group", "aws4.groupCenter", "basic.rect", "gcp2.doubleRect", "ios7.misc.rect", "mockup.containers.marginRect2", "label", "rectangle", "swimlane2", "partialRectangle", "table", "tableRow", "tableLine", "rect", "rect2", "sketch", "kubernetes.frame", "azure2.group", "flexArrow2":
		return ""
	case "bootstrap.rrect", "flowchart.terminator", "bootstrap.anchor":
		return "pill"
	case "flowchart.decision", "bpmn.gateway2":
		return "rhombus"
	case "flowchart.document", "flowchart.document2":
		return "document"
	case "flowchart.database", "flowchart.direct_data", "datastore", "flowchart.stored_data2":
		return "cylinder3"
	case "flowchart.data", "flowchart.parallel_mode2":
		return "parallelogram"
	case "flowchart.start_1", "flowchart.start_2", "flowchart.on-page_reference", "basic.ellipse", "bootstrap.circle2", "mockup.graphics.circle":
		return "ellipse"
	case "flowchart.predefined_process":
		return "process"
	case "flowchart.manual_input":
		return "manualInput"
	case "flowchart.preparation":
		return "hexagon"
	case "flowchart.delay":
		return "delay"
	case "flowchart.display":
		return "display"
	case "flowchart.off-page_reference":
		return "offPageConnector"
	case "flowchart.internal_storage":
		return "internalStorage"
	case "flowchart.card":
		return "card"
	case "flowchart.stored_data":
		return "dataStorage"
	case "bpmn.event", "bpmn.shape":
		return "bpmn"
	case "basic.cloud_callout", "aws4.internet", "networks.cloud":
		return "cloud"
	}
	return name
}

// outline draws a shape in a box of w by h at 0,0. ok is false for a shape
// that is unknown, of which the drawing is a plain box.
func outline(name string, l look, w, h float64) (pieces []piece, ok bool) {
	m := min(w, h)
	size := func(def float64) float64 { return l.num("size", def) }
	// A size that is a share of the extent, or a length with fixedSize.
	share := func(def, fixed, of float64) float64 {
		if l.on("fixedSize") || l.num("size", def) > 1 {
			return min(max(0, size(fixed)), of)
		}
		return max(0, min(1, size(def))) * of
	}
	switch name = alias(name); name {
	case "", "connector":
		r := 0.0
		if l.on("rounded") {
			r = m * min(50, l.num("arcSize", 15)) / 100
			if l.on("absoluteArcSize") {
				r = l.num("arcSize", 15) / 2
			}
		}
		return body(box(0, 0, w, h, r)), true
	case "pill":
		return body(box(0, 0, w, h, min(m/2, 12))), true
	case "ellipse", "endState", "startState", "waypoint":
		return body(ellipse(0, 0, w, h)), true
	case "doubleEllipse":
		d := min(4, m/5)
		return append(body(ellipse(0, 0, w, h)), piece{d: ellipse(d, d, w-2*d, h-2*d)}), true
	case "sumEllipse", "orEllipse":
		s := math.Sqrt2 / 4
		if name == "orEllipse" {
			return body(ellipse(0, 0, w, h), path("M", 0, h/2, "H", w, "M", w/2, 0, "V", h)), true
		}
		return body(ellipse(0, 0, w, h), path("M", w/2-w*s, h/2-h*s, "L", w/2+w*s, h/2+h*s, "M", w/2+w*s, h/2-h*s, "L", w/2-w*s, h/2+h*s)), true
	case "bpmn":
		if strings.Contains(l["outline"]+l["perimeter"], "rhombus") || l["background"] == "gateway" || l["perimeter"] == "rhombusPerimeter" {
			return body(polygon(w/2, 0, w, h/2, w/2, h, 0, h/2)), true
		}
		return body(ellipse(0, 0, w, h)), true
	case "rhombus":
		out := body(polygon(w/2, 0, w, h/2, w/2, h, 0, h/2))
		if l.on("double") {
			d := min(5, m/6)
			out = append(out, piece{d: polygon(w/2, d, w-d, h/2, w/2, h-d, d, h/2)})
		}
		return out, true
	case "triangle":
		return body(polygon(0, 0, w, h/2, 0, h)), true
	case "hexagon":
		s := share(0.25, 20, w/2)
		if !l.on("fixedSize") && l.num("size", 0.25) <= 1 {
			s = w * max(0, min(0.5, size(0.25)))
		}
		return body(polygon(s, 0, w-s, 0, w, h/2, w-s, h, s, h, 0, h/2)), true
	case "cylinder", "cylinder2", "cylinder3":
		s := min(h/2, size(15))
		if name == "cylinder" {
			s = min(40, h/5) / 2
			s = min(h/2, l.num("size", s))
		}
		return body(path("M", 0, s, "A", w/2, s, 0, 0, 1, w, s, "V", h-s, "A", w/2, s, 0, 0, 1, 0, h-s, "Z"),
			path("M", 0, s, "A", w/2, s, 0, 0, 0, w, s)), true
	case "cloud":
		return body(path("M", 0.25*w, 0.25*h, "C", 0.05*w, 0.25*h, 0.0, 0.5*h, 0.16*w, 0.55*h,
			"C", 0.0, 0.66*h, 0.18*w, 0.9*h, 0.31*w, 0.8*h, "C", 0.4*w, h, 0.7*w, h, 0.8*w, 0.8*h,
			"C", w, 0.8*h, w, 0.6*h, 0.875*w, 0.5*h, "C", w, 0.3*h, 0.8*w, 0.1*h, 0.625*w, 0.2*h,
			"C", 0.5*w, 0.05*h, 0.3*w, 0.05*h, 0.25*w, 0.25*h, "Z")), true
	case "actor":
		t := w * 2 / 6
		return body(path("M", 0, h, "C", 0, h*3/5, 0, h*2/5, w/2, h*2/5, "C", w/2-t, h*2/5, w/2-t, 0, w/2, 0,
			"C", w/2+t, 0, w/2+t, h*2/5, w/2, h*2/5, "C", w, h*2/5, w, h*3/5, w, h, "Z")), true
	case "umlActor":
		return append(body(ellipse(w/4, 0, w/2, h/4)), piece{open: true,
			d: path("M", w/2, h/4, "V", h*2/3, "M", w/2, h/3, "H", 0, "M", w/2, h/3, "H", w, "M", w/2, h*2/3, "L", 0, h, "M", w/2, h*2/3, "L", w, h)}), true
	case "document":
		s := h * max(0, min(1, size(0.3)))
		if l.num("size", 0.3) > 1 {
			s = min(h, size(0.3))
		}
		return body(path("M", 0, 0, "H", w, "V", h-s/2, "Q", w*3/4, h-s*1.4, w/2, h-s/2, "Q", w/4, h+s*0.4, 0, h-s/2, "Z")), true
	case "process", "process2":
		s := share(0.1, 30, w/2)
		if l.num("size", 0.1) <= 1 && !l.on("fixedSize") {
			s = w * max(0, min(0.5, size(0.1)))
		}
		return body(box(0, 0, w, h, 0), path("M", s, 0, "V", h, "M", w-s, 0, "V", h)), true
	case "note", "note2":
		s := max(0, min(size(30), w, h))
		return body(polygon(0, 0, w-s, 0, w, s, w, h, 0, h), path("M", w-s, 0, "V", s, "H", w)), true
	case "card":
		s := max(0, min(size(30), w, h))
		return body(polygon(s, 0, w, 0, w, h, 0, h, 0, s)), true
	case "folder", "package", "umlPackage":
		tw, th := min(l.num("tabWidth", 60), w), min(l.num("tabHeight", 20), h)
		if l["tabPosition"] == "left" {
			return body(polygon(0, 0, tw, 0, tw, th, w, th, w, h, 0, h), path("M", 0, th, "H", tw)), true
		}
		return body(polygon(w-tw, 0, w, 0, w, h, 0, h, 0, th, w-tw, th), path("M", w-tw, th, "H", w)), true
	case "cube", "isoCube":
		s := max(0, min(size(20), w, h))
		return body(polygon(0, 0, w-s, 0, w, s, w, h, s, h, 0, h-s), path("M", 0, 0, "L", s, s, "H", w, "M", s, s, "V", h)), true
	case "infographic.shadedCube":
		s := min(w, h) * 0.25
		return body(polygon(0, s, w/2, 0, w, s, w, h-s, w/2, h, 0, h-s)), true
	case "step":
		s := share(0.2, 20, w)
		return body(polygon(0, 0, w-s, 0, w, h/2, w-s, h, 0, h, s, h/2)), true
	case "parallelogram":
		s := share(0.2, 20, w)
		return body(polygon(s, 0, w, 0, w-s, h, 0, h)), true
	case "trapezoid":
		s := min(w/2, share(0.2, 20, w))
		return body(polygon(s, 0, w-s, 0, w, h, 0, h)), true
	case "tape":
		s := h * max(0, min(1, size(0.4))) / 2
		return body(path("M", 0, s/2, "Q", w/4, s*1.4, w/2, s/2, "Q", w*3/4, -s*0.4, w, s/2, "V", h-s/2, "Q", w*3/4, h-s*1.4, w/2, h-s/2, "Q", w/4, h+s*0.4, 0, h-s/2, "Z")), true
	case "internalStorage":
		return body(box(0, 0, w, h, 0), path("M", min(w, l.num("dx", 20)), 0, "V", h, "M", 0, min(h, l.num("dy", 20)), "H", w)), true
	case "dataStorage":
		s := share(0.1, 20, w)
		return body(path("M", s, 0, "H", w, "Q", w-s*2, h/2, w, h, "H", s, "Q", -s, h/2, s, 0, "Z")), true
	case "or", "delay":
		if name == "delay" {
			r := min(w, h/2)
			return body(path("M", 0, 0, "H", w-r, "A", r, h/2, 0, 0, 1, w-r, h, "H", 0, "Z")), true
		}
		return body(path("M", 0, 0, "Q", w, 0, w, h/2, "Q", w, h, 0, h, "Z")), true
	case "xor":
		return body(path("M", 0, 0, "Q", w, 0, w, h/2, "Q", w, h, 0, h, "Q", w/2, h/2, 0, 0, "Z")), true
	case "display":
		s := w * max(0, min(1, size(0.25)))
		return body(path("M", 0, h/2, "L", s, 0, "H", w-s, "Q", w, 0, w, h/2, "Q", w, h, w-s, h, "H", s, "Z")), true
	case "manualInput":
		s := min(h, size(30))
		return body(polygon(0, s, w, 0, w, h, 0, h)), true
	case "loopLimit":
		s := min(size(20), w/2, h)
		return body(polygon(s, 0, w-s, 0, w, s*0.8, w, h, 0, h, 0, s*0.8)), true
	case "offPageConnector":
		s := h * max(0, min(1, size(3.0/8)))
		return body(polygon(0, 0, w, 0, w, h-s, w/2, h, 0, h-s)), true
	case "callout":
		s := min(h, size(30))
		at, tip, base := w*l.num("position", 0.5), w*l.num("position2", 0.5), min(w, l.num("base", 20))
		return body(polygon(0, 0, w, 0, w, h-s, min(w, at+base), h-s, tip, h, max(0, at), h-s, 0, h-s)), true
	case "cross", "plus":
		if name == "plus" {
			return body(box(0, 0, w, h, 0), path("M", w/2, 0, "V", h, "M", 0, h/2, "H", w)), true
		}
		s := m * max(0, min(1, size(0.2)))
		x, y := (w-s)/2, (h-s)/2
		return body(polygon(x, 0, x+s, 0, x+s, y, w, y, w, y+s, x+s, y+s, x+s, h, x, h, x, y+s, 0, y+s, 0, y, x, y)), true
	case "message":
		return body(box(0, 0, w, h, 0), path("M", 0, 0, "L", w/2, h/2, "L", w, 0)), true
	case "ext":
		out := body(box(0, 0, w, h, 0))
		if l.on("double") {
			out = append(out, piece{d: box(3, 3, max(0, w-6), max(0, h-6), 0)})
		}
		return out, true
	case "component", "module":
		jw, jh := min(w, l.num("jettyWidth", 20)), min(h/2, l.num("jettyHeight", 10))
		out := body(polygon(jw/2, 0, w, 0, w, h, jw/2, h))
		for _, y := range []float64{h * 0.2, h*0.8 - jh} {
			out = append(out, piece{d: box(0, y, jw, jh, 0)})
		}
		return out, true
	case "curlyBracket":
		return []piece{{open: true, d: path("M", w, 0, "Q", w/2, 0, w/2, h/4, "Q", w/2, h/2, 0, h/2, "Q", w/2, h/2, w/2, h*3/4, "Q", w/2, h, w, h)}}, true
	case "umlLifeline":
		s := min(h, size(40))
		return body(box(0, 0, w, s, 0), path("M", w/2, s, "V", h)), true
	case "umlFrame":
		fw, fh := min(w, l.num("width", 60)), min(h, l.num("height", 30))
		return append(body(polygon(0, 0, fw, 0, fw, fh*2/3, fw-fh/3, fh, 0, fh)), piece{open: true, d: box(0, 0, w, h, 0)}), true
	case "umlBoundary":
		return body(ellipse(w/6, 0, w*5/6, h), path("M", 0, h/4, "V", h*3/4, "M", 0, h/2, "H", w/6)), true
	case "umlEntity":
		return body(ellipse(0, 0, w, h), path("M", w/8, h, "H", w*7/8)), true
	case "umlControl":
		return body(ellipse(0, h/8, w, h*7/8), path("M", w*5/8, 0, "L", w*3/8, h/8, "L", w*5/8, h/4)), true
	case "lollipop", "providedRequiredInterface":
		return body(ellipse(0, 0, m, m)), true
	case "umlDestroy":
		return []piece{{open: true, d: path("M", 0, 0, "L", w, h, "M", w, 0, "L", 0, h)}}, true
	case "line":
		return []piece{{open: true, d: path("M", 0, h/2, "H", w)}}, true
	case "singleArrow", "arrows2.arrow", "mxgraph.arrows2.arrow", "arrow":
		head, half := min(w, w*l.num("arrowSize", 0.2)), h*l.num("arrowWidth", 0.3)/2
		if strings.HasPrefix(name, "mxgraph") {
			head, half = min(w, l.num("dx", 40)), h*(1-min(1, l.num("dy", 0.6)))/2
		}
		return body(polygon(0, h/2-half, w-head, h/2-half, w-head, 0, w, h/2, w-head, h, w-head, h/2+half, 0, h/2+half)), true
	case "doubleArrow":
		head, half := min(w/2, w*l.num("arrowSize", 0.2)), h*l.num("arrowWidth", 0.3)/2
		return body(polygon(0, h/2, head, 0, head, h/2-half, w-head, h/2-half, w-head, 0, w, h/2, w-head, h, w-head, h/2+half, head, h/2+half, head, h)), true
	case "mxgraph.floorplan.wall":
		return body(box(0, 0, w, h, 0)), true
	}
	if strings.HasPrefix(name, "mxgraph.floorplan.wall") || strings.HasPrefix(name, "mxgraph.floorplan.room") {
		return []piece{{d: box(0, 0, w, h, 0), open: true}}, true
	}
	return body(box(0, 0, w, h, min(6, m/6))), false
}
