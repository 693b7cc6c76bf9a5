package domain

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/reply"
)

// Fetch reads a remote document. The instance need not hold a document.
func (i *Instance) Fetch(ctx context.Context, ref string) (*abi.FetchResponse, error) {
	var out abi.FetchResponse
	if err := i.call(ctx, abi.ExportFetch, &abi.FetchRequest{Ref: ref, Can: i.d.Can()}, &out); err != nil {
		return nil, err
	}
	out.Ref, out.Name, out.Revision = line(out.Ref, abi.MaxID), line(out.Name, abi.MaxID), line(out.Revision, abi.MaxSummary)
	return &out, i.checkRef(abi.ExportFetch, out.Ref)
}

// Store writes a document to its remote place. The instance need not hold a document.
func (i *Instance) Store(ctx context.Context, r *abi.StoreRequest) (*abi.StoreResponse, error) {
	r.Can = i.d.Can()
	var out abi.StoreResponse
	if err := i.call(ctx, abi.ExportStore, r, &out); err != nil {
		return nil, err
	}
	out.Ref, out.Revision, out.Text = line(out.Ref, abi.MaxID), line(out.Revision, abi.MaxSummary), line(out.Text, abi.MaxSummary)
	if out.Text != "" {
		out.Text = reply.Said(i.d.Name(), out.Text)
	}
	return &out, i.checkRef(abi.ExportStore, out.Ref)
}

// checkRef refuses a reference that is not one of the domain's: it begins lines of the host.
func (i *Instance) checkRef(export, ref string) error {
	if scheme, _, found := strings.Cut(ref, ":"); ref != "" && !(found && slices.Contains(i.d.Manifest.Schemes, strings.ToLower(scheme))) {
		return i.malformed(export, fmt.Errorf("the reference %s does not begin with a scheme of the domain", quote(ref)))
	}
	return nil
}
