package verbs

import (
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/compound"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/edit"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/model"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/style"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/values"
)

// runAddLane runs `add lane in:POOL`.
func runAddLane(c *ctx, a pdk.Args, pool *cell, label string, look style.Style) error {
	for _, key := range []string{"near", "dir", "at", "count", "strict"} {
		if a.Has(key) {
			return pdk.Errorf("%s: does not go with a lane; its pool gives it its place", key).Try(a.Mended(pdk.Without("near", "dir", "at", "count", "strict")))
		}
	}
	id, text := pdk.Must2(edit.NewNames(c.Model, a, label, 1))
	along := values.Size.Of(a).H
	if model.LanesAreColumns(pool) {
		along = values.Size.Of(a).W
	}
	_, err := compound.AddLane(c, pool, id, text, look, along)
	return err
}
