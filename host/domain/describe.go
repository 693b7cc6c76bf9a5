package domain

import (
	"context"
	"fmt"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// Describe reads the manifest of p from a new instance.
func Describe(ctx context.Context, p *sandbox.Plugin) (*abi.Manifest, error) {
	data, err := EncodedManifest(ctx, p)
	if err != nil {
		return nil, err
	}
	return DecodeManifest(data)
}

// EncodedManifest returns the manifest of p as the module encoded it, with fields that only newer hosts know.
func EncodedManifest(ctx context.Context, p *sandbox.Plugin) ([]byte, error) {
	in, err := p.NewInstance(ctx, 0)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return in.Call(ctx, abi.ExportManifest, nil)
}

// DecodeManifest decodes a manifest. New checks and cleans its fields.
func DecodeManifest(data []byte) (*abi.Manifest, error) {
	if len(data) > abi.MaxManifest {
		return nil, fmt.Errorf("the manifest has %d bytes, the limit is %d", len(data), abi.MaxManifest)
	}
	var m abi.Manifest
	if err := abi.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("the manifest is not a valid message (%s)", line(err.Error(), 200))
	}
	return &m, nil
}
