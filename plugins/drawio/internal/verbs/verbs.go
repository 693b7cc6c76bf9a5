// Package verbs holds the verbs of the domain.
package verbs

import (
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/importer"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/legend"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/pagestyle"
)

type (
	file = mxfile.File
	cell = mxfile.Cell
	ctx  = pdk.Ctx[*mxfile.File]
	verb = pdk.Verb[*mxfile.File]
)

// All lists the verbs of the domain.
func All() []verb {
	list := pdk.Declare(
		addVerb(), removeVerb(), connectVerb(), disconnectVerb(), styleVerb(), labelVerb(), replaceVerb(), moveVerb(), resizeVerb(),
		groupVerb(), ungroupVerb(), copyVerb(), repeatVerb(), modifyVerb(), pageVerb(), layoutVerb(), routeVerb(), pinVerb(), splitVerb(),
		linkVerb(), tooltipVerb(), dataVerb(), badgeVerb(), lookVerb(), legend.Verb(), rotateVerb(), swapVerb(), alignVerb(), distributeVerb(), orderVerb(), orientVerb(),
		layerVerb(), defineVerb(), loadVerb(), titleVerb(), importer.MermaidVerb(), importer.PlantVerb(),
	)
	for i := range list {
		list[i].Run = followed(list[i].Run)
	}
	return list
}

// followed adds to a verb what holds for all: what an op added takes the palette of its page, the legend shows what the page then has, and
// the reply names each cell that changed.
func followed(run func(*ctx, pdk.Args) error) func(*ctx, pdk.Args) error {
	return func(c *ctx, a pdk.Args) error {
		page := c.Model.Current
		had := legend.InUse(page)
		pdk.Check(run(c, a))
		pdk.Check(pagestyle.PaintNew(c, page))
		pdk.Check(legend.Update(c, a, page, had))
		stateEffects(c, a)
		return nil
	}
}
