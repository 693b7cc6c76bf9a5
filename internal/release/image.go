package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/fcp-host/fcp-host/internal/ends"
)

// nobody is the user and group that images run as.
const nobody = 65532

// Parts of an image, with the names of the OCI image specification.
type (
	descriptor struct {
		MediaType   string            `json:"mediaType"`
		Digest      string            `json:"digest"`
		Size        int               `json:"size"`
		Platform    *platform         `json:"platform,omitempty"`
		Annotations map[string]string `json:"annotations,omitempty"`
	}
	platform struct {
		Architecture string `json:"architecture"`
		OS           string `json:"os"`
	}
	manifest struct {
		SchemaVersion int               `json:"schemaVersion"`
		MediaType     string            `json:"mediaType"`
		Config        *descriptor       `json:"config,omitempty"`
		Layers        []descriptor      `json:"layers,omitempty"`
		Manifests     []descriptor      `json:"manifests,omitempty"`
		Annotations   map[string]string `json:"annotations,omitempty"`
	}
	imageConfig struct {
		Created string `json:"created"`
		platform
		Config  runConfig `json:"config"`
		Rootfs  rootfs    `json:"rootfs"`
		History []history `json:"history"`
	}
	runConfig struct {
		User       string            `json:"User"`
		Env        []string          `json:"Env"`
		Entrypoint []string          `json:"Entrypoint"`
		WorkingDir string            `json:"WorkingDir"`
		Labels     map[string]string `json:"Labels"`
	}
	rootfs struct {
		Type    string   `json:"type"`
		DiffIDs []string `json:"diff_ids"`
	}
	history struct {
		Created   string `json:"created"`
		CreatedBy string `json:"created_by"`
	}
)

const (
	typeIndex    = "application/vnd.oci.image.index.v1+json"
	typeManifest = "application/vnd.oci.image.manifest.v1+json"
	typeConfig   = "application/vnd.oci.image.config.v1+json"
	typeLayer    = "application/vnd.oci.image.layer.v1.tar+gzip"
)

// layout collects the blobs of an OCI image layout, in order.
type layout struct{ entries []entry }

func digest(data []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(data)) }

func (l *layout) blob(mediaType string, data []byte) descriptor {
	d := descriptor{MediaType: mediaType, Digest: digest(data), Size: len(data)}
	l.entries = append(l.entries, entry{name: "blobs/sha256/" + d.Digest[len("sha256:"):], mode: 0o644, content: data})
	return d
}

func (l *layout) json(mediaType string, v any) descriptor {
	return l.blob(mediaType, ends.Unless(json.Marshal(v)))
}

// image writes an OCI layout, as a tar, of one image for both Linux architectures. The image has only the program: no
// shell, and no libraries that would need updates.
func (k *kit) image() {
	labels := map[string]string{
		"org.opencontainers.image.title": "fcp-host", "org.opencontainers.image.description": summary,
		"org.opencontainers.image.version": k.version, "org.opencontainers.image.revision": k.commit,
		"org.opencontainers.image.created": k.at.Format(time.RFC3339), "org.opencontainers.image.licenses": "Apache-2.0",
		"org.opencontainers.image.source": k.repository, "io.modelcontextprotocol.server.name": serverName,
	}
	var l layout
	index := manifest{SchemaVersion: 2, MediaType: typeIndex, Annotations: labels}
	for _, b := range k.platforms() {
		if b.goos != "linux" {
			continue
		}
		d := k.imageOf(&l, b, labels)
		d.Platform = &platform{b.goarch, b.goos}
		index.Manifests = append(index.Manifests, d)
	}
	d := l.json(typeIndex, index)
	d.Annotations = map[string]string{"org.opencontainers.image.ref.name": k.version}
	top := ends.Unless(json.Marshal(manifest{SchemaVersion: 2, MediaType: typeIndex, Manifests: []descriptor{d}}))
	entries := append([]entry{
		{name: "oci-layout", mode: 0o644, content: []byte(`{"imageLayoutVersion":"1.0.0"}`)},
		{name: "index.json", mode: 0o644, content: top},
		{name: "blobs/", mode: 0o755}, {name: "blobs/sha256/", mode: 0o755},
	}, l.entries...)
	var tar bytes.Buffer
	ends.If(writeTar(&tar, k.at, entries))
	k.put("fcp-host_"+k.version+"_image.tar", tar.Bytes())
}

func (k *kit) imageOf(l *layout, b binary, labels map[string]string) (d descriptor) {
	program := b.entry("usr/local/bin/fcp-host")
	files := []entry{
		{name: "home/", mode: 0o755},
		// Writable for all: some run the image as their own user, so that files get the right owner.
		{name: "home/fcp/", mode: 0o777 | os.ModeSticky, owner: nobody},
		{name: "tmp/", mode: 0o777 | os.ModeSticky},
		{name: "usr/", mode: 0o755}, {name: "usr/local/", mode: 0o755}, {name: "usr/local/bin/", mode: 0o755}, program,
		{name: "usr/share/", mode: 0o755}, {name: "usr/share/doc/", mode: 0o755}, {name: "usr/share/doc/fcp-host/", mode: 0o755},
	}
	for _, e := range k.legal {
		e.name = "usr/share/doc/fcp-host/" + e.name
		files = append(files, e)
	}
	files = append(files, entry{name: "work/", mode: 0o755, owner: nobody})
	var tar bytes.Buffer
	ends.If(writeTar(&tar, k.at, files))
	layer := ends.Unless(gzipBytes(tar.Bytes()))
	created := k.at.Format(time.RFC3339)
	config := l.json(typeConfig, imageConfig{
		Created: created, platform: platform{b.goarch, b.goos},
		Config: runConfig{User: fmt.Sprintf("%d:%d", nobody, nobody), Env: []string{"PATH=/usr/local/bin", "HOME=/home/fcp"},
			Entrypoint: []string{"/usr/local/bin/fcp-host"}, WorkingDir: "/work", Labels: labels},
		Rootfs:  rootfs{"layers", []string{digest(tar.Bytes())}},
		History: []history{{created, "make release"}},
	})
	return l.json(typeManifest, manifest{SchemaVersion: 2, MediaType: typeManifest, Config: &config,
		Layers: []descriptor{l.blob(typeLayer, layer)}, Annotations: labels})
}
