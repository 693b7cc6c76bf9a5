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
	return naming(legend.Follow(pdk.Declare([]verb{
		pagestyle.Follow(addVerb()), removeVerb(), pagestyle.Follow(connectVerb()), disconnectVerb(), styleVerb(), labelVerb(), replaceVerb(), moveVerb(), resizeVerb(),
		pagestyle.Follow(groupVerb()), ungroupVerb(), pagestyle.Follow(copyVerb()), pagestyle.Follow(repeatVerb()), modifyVerb(), pageVerb(), layoutVerb(), routeVerb(), pinVerb(), pagestyle.Follow(splitVerb()),
		linkVerb(), tooltipVerb(), dataVerb(), badgeVerb(), lookVerb(), legend.Verb(), rotateVerb(), swapVerb(), alignVerb(), distributeVerb(), orderVerb(), orientVerb(),
		layerVerb(), defineVerb(), loadVerb(), titleVerb(), pagestyle.Follow(importer.MermaidVerb()), pagestyle.Follow(importer.PlantVerb()),
	}...)))
}
