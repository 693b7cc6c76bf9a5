package command

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/host/plugin"
	"github.com/fcp-host/fcp-host/host/source"
)

// push publishes a module in a registry.
func (c *pluginCommand) push(words []string) error {
	file, ref := words[0], words[1]
	if !strings.HasPrefix(ref, "oci://") {
		return fmt.Errorf("%q is not an address in a registry; write it as oci://HOST/NAME:TAG", ref)
	}
	wasm, err := plugin.Read(file)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	o := &offered{Module: &source.Module{Wasm: wasm, Source: file}, sum: string(sum(wasm))}
	if err := c.describe(o); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	annotations := map[string]string{
		"org.opencontainers.image.title":       o.Domain + ".wasm",
		"org.opencontainers.image.version":     o.Version,
		"org.opencontainers.image.description": o.Summary,
	}
	signed, err := source.Minisig(file)
	if err != nil {
		return err
	}
	with := ""
	if signed != nil {
		annotations[source.MinisigAnnotation], with = string(signed), ", with "+file+".minisig"
	}
	digest, err := source.Push(c.ctx, ref, wasm, annotations, c.get)
	if err != nil {
		return fmt.Errorf("%s: %w", ref, err)
	}
	name := strings.TrimPrefix(ref, "oci://")
	name = name[:strings.LastIndexByte(name, ':')]
	fmt.Fprintf(c.io.out, "pushed %s, sha256 %s%s\n  %s@%s\nto sign it with cosign: cosign sign --key cosign.key %s@%s\n", o.title(), o.sum, with, name, digest, name, digest)
	return nil
}
