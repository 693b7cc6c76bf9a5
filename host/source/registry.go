package source

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/opencontainers/go-digest"
	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	"oras.land/oras-go/v2/errdef"
	"oras.land/oras-go/v2/registry/remote"
	"oras.land/oras-go/v2/registry/remote/auth"
	"oras.land/oras-go/v2/registry/remote/credentials"

	"github.com/fcp-host/fcp-host/host/gate"
	"github.com/fcp-host/fcp-host/host/plugin"
	"github.com/fcp-host/fcp-host/host/signature"
	"github.com/fcp-host/fcp-host/printable"
)

// MinisigAnnotation is the annotation of an OCI manifest that holds the module's minisign signature.
const MinisigAnnotation = "vnd.fcp.minisig"

const (
	maxManifest   = 1 << 20 // bytes
	maxSignatures = 32      // signatures read of one artifact
	bundleType    = "application/vnd.dev.sigstore.bundle"
	simpleType    = "application/vnd.dev.cosign.simplesigning.v1+json"
)

// repository returns the repository that oci://HOST/NAME names, and the tag or digest after the name.
func (o Options) repository(ref string) (*remote.Repository, error) {
	name := strings.TrimPrefix(ref, "oci://")
	repo, err := remote.NewRepository(name)
	if err != nil {
		return nil, fmt.Errorf("%s is not an artifact in a registry; write it as oci://HOST/NAME:TAG or oci://HOST/NAME@sha256:…", printable.Line(ref))
	}
	if repo.Reference.Reference == "" {
		return nil, fmt.Errorf("%s names no version; add :TAG or @sha256:…", printable.Line(ref))
	}
	store, err := credentials.NewStoreFromDocker(credentials.StoreOptions{})
	if err != nil {
		return nil, fmt.Errorf("the credentials in Docker's configuration: %w", err)
	}
	local := gate.Loopback(hostOf(repo.Reference.Host()))
	repo.PlainHTTP = local || o.PlainHTTP
	client := &auth.Client{Client: o.client(repo.Reference.Host()), Credential: credentials.Credential(store), Cache: auth.NewCache()}
	client.SetUserAgent(o.Agent)
	if local {
		client.BlockedRealmPrefixes = []netip.Prefix{} // the token server of a registry on this machine is on this machine, too
	}
	repo.Client = client
	repo.MaxMetadataBytes, repo.ReferrerListMaxPages = maxManifest, 4
	return repo, nil
}

func (o Options) registry(ctx context.Context, ref string) (*Module, error) {
	repo, err := o.repository(ref)
	if err != nil {
		return nil, err
	}
	m := &Module{Source: "oci://" + repo.Reference.String()}
	_, err = repo.Reference.Digest()
	m.Checked = err == nil
	desc, manifest, err := fetchManifest(ctx, repo, repo.Reference.Reference)
	if errors.Is(err, errdef.ErrNotFound) {
		return nil, errors.New("the registry has no such artifact")
	}
	if err != nil {
		return nil, fmt.Errorf("its manifest: %w", plain(err))
	}
	m.Manifest = desc.Digest.String()
	sum, size, err := signature.Layer(manifest)
	if err != nil {
		return nil, err
	}
	if size > plugin.MaxFile {
		return nil, fmt.Errorf("it is larger than %d MiB", plugin.MaxFile>>20)
	}
	if m.Wasm, err = fetchBlob(ctx, repo, ocispec.Descriptor{MediaType: signature.ModuleType, Digest: digest.Digest(sum), Size: size}); err != nil {
		return nil, fmt.Errorf("its module: %w", plain(err))
	}
	m.signatures(ctx, repo, desc, manifest)
	return m, nil
}

// fetchManifest fetches the manifest of a tag or digest, and verifies its digest.
func fetchManifest(ctx context.Context, repo *remote.Repository, ref string) (desc ocispec.Descriptor, manifest []byte, err error) {
	desc, body, err := repo.Manifests().FetchReference(ctx, ref)
	if err != nil {
		return desc, nil, err
	}
	defer body.Close()
	if desc.Size > maxManifest {
		return desc, nil, fmt.Errorf("larger than %d MiB", maxManifest>>20)
	}
	manifest, err = content.ReadAll(body, desc)
	return desc, manifest, err
}

// fetchBlob fetches a blob and verifies its digest. The caller limits its size.
func fetchBlob(ctx context.Context, repo *remote.Repository, desc ocispec.Descriptor) ([]byte, error) {
	body, err := repo.Blobs().Fetch(ctx, desc)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	return content.ReadAll(body, desc)
}

// signatures collects an artifact's signatures: minisign's in its manifest, cosign's at a tag made from its digest, and
// cosign's in artifacts that refer to it.
func (m *Module) signatures(ctx context.Context, repo *remote.Repository, desc ocispec.Descriptor, manifest []byte) {
	note := func(what string, err error) {
		if err != nil && !errors.Is(err, errdef.ErrNotFound) {
			m.Notes = append(m.Notes, fmt.Sprintf("%s does not count: %v", what, plain(err)))
		}
	}
	var its ocispec.Manifest
	if err := json.Unmarshal(manifest, &its); err == nil && its.Annotations[MinisigAnnotation] != "" {
		m.addSignature("its annotation "+MinisigAnnotation, []byte(its.Annotations[MinisigAnnotation]), signature.ParseMinisig)
	}
	tag := strings.Replace(desc.Digest.String(), ":", "-", 1) + ".sig"
	note("what is signed at its tag "+tag, m.simple(ctx, repo, tag, manifest))
	note("what refers to it", m.bundles(ctx, repo, desc, manifest))
}

// simple collects signatures of cosign's first format.
func (m *Module) simple(ctx context.Context, repo *remote.Repository, tag string, manifest []byte) error {
	_, data, err := fetchManifest(ctx, repo, tag)
	if err != nil {
		return err
	}
	var list ocispec.Manifest
	if err := json.Unmarshal(data, &list); err != nil {
		return errors.New("it is not a manifest")
	}
	for i, l := range list.Layers {
		if i == maxSignatures || len(m.Signatures) >= maxSignatures {
			return fmt.Errorf("there are more than %d signatures", maxSignatures)
		}
		sig, err := base64.StdEncoding.DecodeString(l.Annotations["dev.cosignproject.cosign/signature"])
		switch {
		case l.MediaType != simpleType || err != nil || l.Size > signature.MaxFile:
			continue
		case l.Annotations["dev.sigstore.cosign/certificate"] != "":
			m.Notes = append(m.Notes, "a signature does not count: "+signature.ErrKeyless.Error())
			continue
		}
		payload, err := fetchBlob(ctx, repo, l)
		if err != nil {
			return err
		}
		m.Signatures = append(m.Signatures, signature.Signature{Form: signature.Simple, Signature: sig, Payload: payload, Manifest: manifest})
	}
	return nil
}

// bundles collects signatures of cosign's second format, the bundle.
func (m *Module) bundles(ctx context.Context, repo *remote.Repository, desc ocispec.Descriptor, manifest []byte) error {
	var found []ocispec.Descriptor
	err := repo.Referrers(ctx, desc, "", func(list []ocispec.Descriptor) error {
		for _, d := range list {
			if strings.HasPrefix(d.ArtifactType, bundleType) && d.Size <= maxManifest && len(found) < maxSignatures {
				found = append(found, d)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, d := range found {
		_, data, err := fetchManifest(ctx, repo, d.Digest.String())
		if err != nil {
			return err
		}
		var its ocispec.Manifest
		if err := json.Unmarshal(data, &its); err != nil || len(its.Layers) != 1 || !strings.HasPrefix(its.Layers[0].MediaType, bundleType) || its.Layers[0].Size > signature.MaxFile {
			continue
		}
		bundle, err := fetchBlob(ctx, repo, its.Layers[0])
		if err != nil {
			return err
		}
		m.addSignature("a bundle that refers to it", bundle, func(b []byte) (signature.Signature, error) { return signature.ParseBundle(b, manifest) })
	}
	return nil
}

// Push pushes a module to the registry and tag in ref. The same module with the same annotations gives the same
// artifact.
func Push(ctx context.Context, ref string, wasm []byte, annotations map[string]string, o Options) (manifest string, err error) {
	ctx, cancel := context.WithTimeout(ctx, fetchFor)
	defer cancel()
	repo, err := o.repository(ref)
	if err != nil {
		return "", err
	}
	if _, err := repo.Reference.Digest(); err == nil {
		return "", errors.New("a digest cannot be chosen; name a tag")
	}
	layer := content.NewDescriptorFromBytes(signature.ModuleType, wasm)
	data, err := json.Marshal(ocispec.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageManifest, ArtifactType: signature.ArtifactType,
		Config: ocispec.DescriptorEmptyJSON, Layers: []ocispec.Descriptor{layer}, Annotations: annotations,
	})
	if err != nil {
		return "", err
	}
	for _, blob := range []struct {
		desc ocispec.Descriptor
		data []byte
	}{{ocispec.DescriptorEmptyJSON, ocispec.DescriptorEmptyJSON.Data}, {layer, wasm}} {
		there, err := repo.Blobs().Exists(ctx, blob.desc)
		if err == nil && !there {
			err = repo.Blobs().Push(ctx, blob.desc, bytes.NewReader(blob.data))
		}
		if err != nil {
			return "", plain(err)
		}
	}
	desc := content.NewDescriptorFromBytes(ocispec.MediaTypeImageManifest, data)
	if err := repo.Manifests().PushReference(ctx, desc, bytes.NewReader(data), repo.Reference.Reference); err != nil {
		return "", plain(err)
	}
	return desc.Digest.String(), nil
}
