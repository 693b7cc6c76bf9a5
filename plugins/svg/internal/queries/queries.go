// Package queries answers the queries of the svg domain.
package queries

import (
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/tree"
)

// Aliases for the SDK's generic types.
type (
	drawing = model.Drawing
	node    = tree.Node
	view    = pdk.View[*drawing]
	query   = pdk.Query[*drawing]
)

// All returns the queries.
func All() []query {
	return pdk.Folding(pdk.DeclareQueries(
		mapQuery(), treeQuery(), describeQuery(), listQuery(), findQuery(), bboxQuery(), atQuery(), distanceQuery(), overlapsQuery(), outsideQuery(), defsQuery(), colorsQuery(), fontsQuery(), unusedQuery(),
		sourceQuery(), statsQuery(), lintQuery(), previewQuery(),
	), []string{"source"}, []string{"tree", "find"})
}
