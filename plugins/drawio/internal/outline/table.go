package outline

import (
	"math"
	"strings"
)

// aliases maps stencils that look like a basic shape to that shape.
var aliases = invert(map[string]string{
	"": "flowchart.process bootstrap.rect aws4.group aws4.groupCenter basic.rect gcp2.doubleRect ios7.misc.rect mockup.containers.marginRect2 label rectangle " +
		"swimlane2 tableLine rect rect2 sketch kubernetes.frame azure2.group flexArrow2 connector floorplan.wall",
	"pill":             "bootstrap.rrect flowchart.terminator bootstrap.anchor",
	"rhombus":          "flowchart.decision bpmn.gateway2",
	"document":         "flowchart.document flowchart.document2",
	"cylinder3":        "flowchart.database flowchart.direct_data flowchart.stored_data2 cylinder2",
	"parallelogram":    "flowchart.data flowchart.parallel_mode2",
	"ellipse":          "flowchart.start_1 flowchart.start_2 flowchart.on-page_reference basic.ellipse bootstrap.circle2 mockup.graphics.circle",
	"process":          "flowchart.predefined_process process2",
	"manualInput":      "flowchart.manual_input",
	"hexagon":          "flowchart.preparation",
	"delay":            "flowchart.delay",
	"display":          "flowchart.display",
	"offPageConnector": "flowchart.off-page_reference",
	"internalStorage":  "flowchart.internal_storage",
	"card":             "flowchart.card",
	"dataStorage":      "flowchart.stored_data",
	"bpmn":             "bpmn.event bpmn.shape",
	"cloud":            "basic.cloud_callout aws4.internet networks.cloud",
	"cube":             "isoCube",
	"folder":           "package umlPackage",
	"note":             "note2",
	"swimlane":         "table",
	"partialRectangle": "tableRow",
})

// table maps the known shapes to functions that draw them. It is never written to.
var table = map[string]func(kind) Shape{
	"":                 func(k kind) Shape { return body(Box(0, 0, k.w, k.h, k.round())) },
	"pill":             func(k kind) Shape { return body(Box(0, 0, k.w, k.h, min(k.least()/2, 12))) },
	"swimlane":         func(k kind) Shape { return body(Box(0, 0, k.w, k.h, LaneRound(k.Map, k.w, k.h))) },
	"image":            func(k kind) Shape { return endAtPerimeter(body(Box(0, 0, k.w, k.h, 0))) },
	"partialRectangle": func(k kind) Shape { return body(Box(0, 0, k.w, k.h, 0)) },
	"ellipse":          func(k kind) Shape { return body(Ellipse(0, 0, k.w, k.h)) },
	"doubleEllipse":    twice,
	"startState":       func(k kind) Shape { return body(k.state()) },
	"endState":         endState,
	"orEllipse": func(k kind) Shape {
		return body(Ellipse(0, 0, k.w, k.h), lines(0, k.h/2, k.w, k.h/2), lines(k.w/2, 0, k.w/2, k.h))
	},
	"sumEllipse":       crossedOut,
	"bpmn":             bpmn,
	"rhombus":          rhombus,
	"triangle":         func(k kind) Shape { return body(rounded(k.corner(), 0, 0, k.w, k.h/2, 0, k.h)) },
	"hexagon":          func(k kind) Shape { return body(k.hexagon(k.corner())) },
	"parallelogram":    func(k kind) Shape { return body(k.parallelogram(k.corner())) },
	"trapezoid":        func(k kind) Shape { return body(k.trapezoid(k.corner())) },
	"step":             func(k kind) Shape { return body(k.step(k.corner())) },
	"cylinder":         func(k kind) Shape { return store(k, min(40, math.Round(k.h/5))) },
	"datastore":        func(k kind) Shape { return store(k, min(k.h/2, math.Round(k.h/8)+k.Num("strokeWidth", 1)-1)) },
	"cylinder3":        drum,
	"cloud":            cloud,
	"actor":            torso,
	"document":         document,
	"tape":             tape,
	"process":          process,
	"note":             note,
	"card":             card,
	"folder":           folder,
	"cube":             cube,
	"internalStorage":  internalStorage,
	"dataStorage":      dataStorage,
	"delay":            delay,
	"display":          display,
	"manualInput":      manualInput,
	"loopLimit":        loopLimit,
	"offPageConnector": offPage,
	"callout":          callout,
	"or":               func(k kind) Shape { return gate(k, false) },
	"xor":              func(k kind) Shape { return gate(k, true) },
	"cross":            cross,
	"plus": func(k kind) Shape {
		return body(Box(0, 0, k.w, k.h, k.round()), lines(k.w/2, 0, k.w/2, k.h), lines(0, k.h/2, k.w, k.h/2))
	},
	"message":                        func(k kind) Shape { return body(Box(0, 0, k.w, k.h, 0), lines(0, 0, k.w/2, k.h/2, k.w, 0)) },
	"ext":                            framed,
	"component":                      func(k kind) Shape { return jetties(k, 32, 12, 0.3*k.h, 0.7*k.h) },
	"module":                         module,
	"singleArrow":                    func(k kind) Shape { return arrow(k, k.w*k.part("arrowSize", 0.2), k.h*k.part("arrowWidth", 0.3)) },
	"arrow":                          func(k kind) Shape { return arrow(k, k.w*k.part("arrowSize", 0.2), k.h*k.part("arrowWidth", 0.3)) },
	"mxgraph.arrows2.arrow":          func(k kind) Shape { return arrow(k, min(k.w, k.Num("dx", 40)), k.h*(1-k.part("dy", 0.6))) },
	"doubleArrow":                    doubleArrow,
	"mxgraph.infographic.shadedCube": shadedCube,
	"mxgraph.basic.star": func(k kind) Shape {
		return k.scaled(95, 90, 0, 33, 36.4, 33, 47.5, 0, 58.6, 33, 95, 33, 66, 55.1, 77.5, 90, 47.5, 68.4, 17.5, 90, 29, 55.1)
	},
	"mxgraph.basic.4_point_star": func(k kind) Shape {
		return k.scaled(92, 92, 46, 0, 56, 36, 92, 46, 56, 56, 46, 92, 36, 56, 0, 46, 36, 36)
	},
	"mxgraph.basic.6_point_star": func(k kind) Shape {
		return k.scaled(96, 84.5, 23, 28.9, 23, 0, 48, 14.4, 73, 0, 73, 28.9, 96, 42.2, 73, 55.6, 73, 84.5, 48, 70, 23, 84.5, 23, 55.6, 0, 42.2)
	},
	"mxgraph.basic.8_point_star": func(k kind) Shape {
		return k.scaled(96, 96, 28, 28, 28, 0, 48, 20, 68, 0, 68, 28, 96, 28, 76, 48, 96, 68, 68, 68, 68, 96, 48, 76, 28, 96, 28, 68, 0, 68, 20, 48, 0, 28)
	},
	"mxgraph.basic.pentagon": func(k kind) Shape { return k.scaled(97, 90, 18.5, 90, 0, 33, 48.5, 0, 97, 33, 78.5, 90) },
	"mxgraph.basic.octagon": func(k kind) Shape {
		return k.scaled(98, 98, 0, 29, 29, 0, 69, 0, 98, 29, 98, 69, 69, 98, 29, 98, 0, 69)
	},

	// The following shapes enclose nothing, or only part of what is drawn.
	"umlActor":    umlActor,
	"umlLifeline": umlLifeline,
	"waypoint": func(k kind) Shape {
		d := max(0, k.Num("size", 6)-2) + 2*k.Num("strokeWidth", 1)
		return endAtPerimeter(body(Ellipse((k.w-d)/2, (k.h-d)/2, d, d)))
	},
	"umlFrame": umlFrame,
	"umlBoundary": func(k kind) Shape {
		return endAtPerimeter(body(Ellipse(k.w/6, 0, k.w*5/6, k.h), lines(0, k.h/4, 0, k.h*3/4), lines(0, k.h/2, k.w/6, k.h/2)))
	},
	"umlEntity": func(k kind) Shape { return body(Ellipse(0, 0, k.w, k.h), lines(k.w/8, k.h, k.w*7/8, k.h)) },
	"umlControl": func(k kind) Shape {
		return endAtPerimeter(body(Ellipse(0, k.h/8, k.w, k.h*7/8), lines(k.w*5/8, 0, k.w*3/8, k.h/8, k.w*5/8, k.h/4)))
	},
	"umlDestroy": func(k kind) Shape {
		return Shape{Lines: []Path{lines(0, 0, k.w, k.h), lines(k.w, 0, 0, k.h)}, EndAtPerimeter: true}
	},
	"line":         func(k kind) Shape { return Shape{Lines: []Path{lines(0, k.h/2, k.w, k.h/2)}, EndAtPerimeter: true} },
	"curlyBracket": curlyBracket,
	"lollipop":     lollipop,
	"providedRequiredInterface": func(k kind) Shape {
		return endAtPerimeter(body(Ellipse(0, 0, k.least(), k.least())))
	},
}

// invert maps each word of the values to its key.
func invert(of map[string]string) map[string]string {
	out := map[string]string{}
	for plain, names := range of {
		for _, n := range strings.Fields(names) {
			out[n] = plain
		}
	}
	return out
}
