// Package registry is an OCI registry in memory, for tests.
package registry

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// Registry stores what is pushed to it. Set its fields before it serves.
type Registry struct {
	User, Password string // required credentials; "" for none
	Referrers      bool   // it supports the referrers API; otherwise clients keep a list at a tag

	mu        sync.Mutex
	blobs     map[string][]byte
	manifests map[string]manifest // by NAME:TAG and NAME@DIGEST
}

type manifest struct {
	kind string // media type
	data []byte
}

// path splits the path of a request: repository, kind, and tag or digest.
var path = regexp.MustCompile(`^/v2/(.+)/(blobs|manifests|referrers|blobs/uploads)/([^/]*)$`)

// Digest returns the digest of data.
func Digest(data []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(data)) }

// Put stores a blob, and returns its digest.
func (r *Registry) Put(data []byte) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.blobs == nil {
		r.blobs, r.manifests = map[string][]byte{}, map[string]manifest{}
	}
	r.blobs[Digest(data)] = data
	return Digest(data)
}

// Manifest stores a manifest at a tag, or only at its digest if tag is "", and returns the digest.
func (r *Registry) Manifest(name, tag, kind string, data []byte) string {
	r.Put(nil)
	r.mu.Lock()
	defer r.mu.Unlock()
	m := manifest{kind, data}
	r.manifests[name+"@"+Digest(data)] = m
	if tag != "" {
		r.manifests[name+":"+tag] = m
	}
	return Digest(data)
}

// Pull returns the manifest at a tag.
func (r *Registry) Pull(name, tag string) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.manifests[name+":"+tag].data
}

// ServeHTTP implements http.Handler.
func (r *Registry) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if user, password, _ := req.BasicAuth(); r.User != "" && (user != r.User || password != r.Password) {
		w.Header().Set("WWW-Authenticate", `Basic realm="test"`)
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	m := path.FindStringSubmatch(req.URL.Path)
	if m == nil {
		http.NotFound(w, req)
		return
	}
	name, what, ref := m[1], m[2], m[3]
	switch {
	case what == "blobs/uploads" && req.Method == http.MethodPost:
		w.Header().Set("Location", "/v2/"+name+"/blobs/uploads/1")
		w.WriteHeader(http.StatusAccepted)
	case what == "blobs/uploads" && req.Method == http.MethodPut:
		data, err := io.ReadAll(req.Body)
		if err != nil || req.URL.Query().Get("digest") != Digest(data) {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		r.Put(data)
		w.WriteHeader(http.StatusCreated)
	case what == "blobs":
		r.mu.Lock()
		data, ok := r.blobs[ref]
		r.mu.Unlock()
		answer(w, req, "application/octet-stream", data, ok)
	case what == "manifests" && req.Method == http.MethodPut:
		data, err := io.ReadAll(req.Body)
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		if strings.HasPrefix(ref, "sha256:") {
			ref = ""
		}
		r.Manifest(name, ref, req.Header.Get("Content-Type"), data)
		w.WriteHeader(http.StatusCreated)
	case what == "manifests":
		sep := ":"
		if strings.HasPrefix(ref, "sha256:") {
			sep = "@"
		}
		r.mu.Lock()
		m, ok := r.manifests[name+sep+ref]
		r.mu.Unlock()
		answer(w, req, m.kind, m.data, ok)
	case what == "referrers" && r.Referrers:
		answer(w, req, "application/vnd.oci.image.index.v1+json", r.referrers(name, ref), true)
	default:
		http.NotFound(w, req)
	}
}

func answer(w http.ResponseWriter, req *http.Request, kind string, data []byte, ok bool) {
	if !ok {
		http.NotFound(w, req)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	w.Header().Set("Docker-Content-Digest", Digest(data))
	if req.Method != http.MethodHead {
		w.Write(data) // the client may be gone
	}
}

// referrers lists the manifests of a repository whose subject is the digest.
func (r *Registry) referrers(name, digest string) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := []map[string]any{}
	for at, m := range r.manifests {
		var is struct {
			ArtifactType string
			Subject      struct{ Digest string }
		}
		if strings.HasPrefix(at, name+"@") && json.Unmarshal(m.data, &is) == nil && is.Subject.Digest == digest {
			list = append(list, map[string]any{"mediaType": m.kind, "digest": Digest(m.data), "size": len(m.data), "artifactType": is.ArtifactType})
		}
	}
	data, err := json.Marshal(map[string]any{"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": list})
	if err != nil {
		panic(err) // strings and numbers always encode
	}
	return data
}
