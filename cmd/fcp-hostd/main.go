// Command fcp-hostd is fcp-host for several machines: with journals in a shared store, files in an
// object store, and telemetry.
package main

import (
	"context"

	"github.com/fcp-host/fcp-host/cmd/internal/command"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/host/files/s3"
	"github.com/fcp-host/fcp-host/host/journal"
	"github.com/fcp-host/fcp-host/host/journal/postgres"
)

// version and commit are set by the build.
var version, commit = "", ""

func main() {
	command.Main(command.Program{Name: "fcp-hostd", Version: version, Commit: commit, Stores: map[string]command.Store{
		"postgres": {Example: "postgres://USER@HOST/DATABASE", Open: openPostgres}, "postgresql": {Open: openPostgres},
	}, Roots: map[string]command.Root{
		"s3": {Example: "s3://BUCKET/PREFIX", Open: openS3},
	}, StartTelemetry: startTelemetry})
}

func openS3(url string, h command.RootHost) (files.Tree, error) {
	return s3.Options{Endpoint: h.Endpoint, Region: h.Region, Wait: h.Wait}.Open(url)
}

func openPostgres(ctx context.Context, url string, h command.StoreHost) (journal.Store, func(), error) {
	s, err := postgres.Open(ctx, url, postgres.Options{Limits: h.Limits, Lease: h.Lease, Wait: h.Wait, Address: h.Address})
	if err != nil {
		return nil, nil, err
	}
	return s, s.Close, nil
}
