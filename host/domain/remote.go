package domain

import (
	"context"

	"github.com/fcp-host/fcp-host/abi"
)

// Fetch reads a remote document. The instance need not hold a document.
func (i *Instance) Fetch(ctx context.Context, ref string) (*abi.FetchResponse, error) {
	var out abi.FetchResponse
	if err := i.call(ctx, abi.ExportFetch, &abi.FetchRequest{Ref: ref, Can: i.d.Can()}, &out); err != nil {
		return nil, err
	}
	out.Ref, out.Name, out.Revision = line(out.Ref, abi.MaxID), line(out.Name, abi.MaxID), line(out.Revision, abi.MaxSummary)
	return &out, nil
}

// Store writes a document to its remote place. The instance need not hold a document.
func (i *Instance) Store(ctx context.Context, r *abi.StoreRequest) (*abi.StoreResponse, error) {
	r.Can = i.d.Can()
	var out abi.StoreResponse
	if err := i.call(ctx, abi.ExportStore, r, &out); err != nil {
		return nil, err
	}
	out.Ref, out.Revision, out.Text = line(out.Ref, abi.MaxID), line(out.Revision, abi.MaxSummary), line(out.Text, abi.MaxSummary)
	return &out, nil
}
