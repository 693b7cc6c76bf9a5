// Package verbs implements the verbs of the svg domain, and what it writes.
package verbs

import (
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

// Aliases for the SDK's generic types.
type (
	drawing = model.Drawing
	node    = tree.Node
	ctx     = pdk.Ctx[*drawing]
	verb    = pdk.Verb[*drawing]
)

// All returns the verbs.
func All() []verb {
	return pdk.Declare(
		addVerb(), styleVerb(), modifyVerb(), textVerb(), removeVerb(), copyVerb(), repeatVerb(),
		moveVerb(), resizeVerb(), rotateVerb(), scaleVerb(), skewVerb(), alignVerb(), distributeVerb(), orderVerb(),
		groupVerb(), ungroupVerb(), reparentVerb(), layerVerb(),
		gradientVerb(), patternVerb(), markerVerb(), filterVerb(), clipVerb(), maskVerb(), classVerb(),
		pathVerb(), boolVerb(), outlineVerb(), canvasVerb(), fitVerb(), titleVerb("title", "the title, for screen readers"), titleVerb("desc", "the description"), optimizeVerb(),
	)
}
