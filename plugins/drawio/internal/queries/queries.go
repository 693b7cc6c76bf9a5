// Package queries holds the queries of the domain and the state of a document.
package queries

import (
	"slices"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/mxfile"
)

type (
	file  = mxfile.File
	cell  = mxfile.Cell
	view  = pdk.View[*mxfile.File]
	query = pdk.Query[*mxfile.File]
)

// All lists the queries of the domain. preview is the query that draws a page.
func All(preview query) []query {
	words := []query{listQuery(), describeQuery(), connectionsQuery()} // their words may have colons, db:Cache, which keeps the host from checking them
	return pdk.Folding(slices.Concat(pdk.DeclareQueries(mapQuery()), words,
		pdk.DeclareQueries(findQuery(), statsQuery(), pagesQuery(), layersQuery(), typesQuery(), preview, lintQuery())), nil, []string{"find", "types"})
}
