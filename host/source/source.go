package source

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/host/plugin"
	"github.com/fcp-host/fcp-host/host/signature"
	"github.com/fcp-host/fcp-host/printable"
)

// Options say how to fetch modules.
type Options struct {
	Dir       string            // base of relative paths; "" for the working directory
	PlainHTTP bool              // allow http to any host
	Agent     string            // the User-Agent
	Transport http.RoundTripper // nil for the default

	// MaySend is asked whether a registry's password may be sent to another server, which the registry names as its token
	// server. nil refuses that.
	MaySend func(registry, server string) error
}

// Module is a fetched module.
type Module struct {
	Wasm       []byte
	Source     string                // its source in the form that Fetch takes: an absolute path or a URL
	Checked    bool                  // verified against the sha256 or digest that the person named
	Manifest   string                // digest of its OCI manifest; "" for none
	Signatures []signature.Signature // not verified
	Notes      []string              // what a person should know about the download, one line each
}

// Limits in time and size.
const (
	fetchFor    = 5 * time.Minute // a whole Fetch or Push
	headersFor  = 30 * time.Second
	maxRedirect = 5
)

// Fetch fetches the module that ref names: a path, https://HOST/PATH#sha256=HEX, or oci://HOST/NAME:TAG.
func Fetch(ctx context.Context, ref string, o Options) (*Module, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchFor)
	defer cancel()
	scheme, _, ok := strings.Cut(ref, "://")
	switch {
	case !ok:
		return file(ref, o)
	case scheme == "https" || scheme == "http":
		return o.web(ctx, ref)
	case scheme == "oci":
		return o.registry(ctx, ref)
	}
	return nil, fmt.Errorf("%s is not a source; sources are files, https://HOST/FILE.wasm#sha256=… and oci://HOST/NAME:TAG", printable.Line(ref))
}

// Fixed reports whether a source always names the same module, by its sha256 or digest.
func Fixed(ref string) bool {
	return strings.Contains(ref, "#sha256=") || strings.HasPrefix(ref, "oci://") && strings.Contains(ref, "@sha256:")
}

// signatureFiles lists the suffixes of files that hold a signature of the file beside them.
var signatureFiles = []struct {
	end   string
	parse func([]byte) (signature.Signature, error)
}{
	{".minisig", signature.ParseMinisig},
	{".sig", signature.ParseBlobSig},
	{".sigstore.json", func(b []byte) (signature.Signature, error) { return signature.ParseBundle(b, nil) }},
}

// addSignature adds the signature in a file beside the module, or a note that says why it is ignored.
func (m *Module) addSignature(name string, data []byte, parse func([]byte) (signature.Signature, error)) {
	s, err := parse(data)
	if err != nil {
		m.Notes = append(m.Notes, fmt.Sprintf("%s does not count: %v", printable.Line(name), err))
		return
	}
	m.Signatures = append(m.Signatures, s)
}

func file(path string, o Options) (*Module, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(o.Dir, path)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	wasm, err := plugin.Read(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", printable.Line(path), err)
	}
	m := &Module{Wasm: wasm, Source: path, Checked: true}
	for _, b := range signatureFiles {
		name := filepath.Base(path) + b.end
		data, err := readSmall(path + b.end)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			m.Notes = append(m.Notes, fmt.Sprintf("%s does not count: %v", printable.Line(name), err))
			continue
		}
		m.addSignature(name, data, b.parse)
	}
	return m, nil
}

// readSmall reads a regular file of at most signature.MaxFile bytes.
func readSmall(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular() || info.Size() > signature.MaxFile:
		return nil, fmt.Errorf("it is not a regular file of at most %d KiB", signature.MaxFile>>10)
	}
	return os.ReadFile(path)
}

// Minisig reads the minisign signature beside a file; nil if there is none.
func Minisig(path string) ([]byte, error) {
	data, err := readSmall(path + ".minisig")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err == nil {
		_, err = signature.ParseMinisig(data)
	}
	if err != nil {
		return nil, fmt.Errorf("%s.minisig: %w", printable.Line(path), err)
	}
	return data, nil
}

func (o Options) web(ctx context.Context, ref string) (*Module, error) {
	u, err := url.Parse(ref)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("%s is not a URL", printable.Line(ref))
	}
	if u.User != nil {
		return nil, errors.New("the URL contains a user name, which would be stored with the plugin; leave it out")
	}
	sum, err := fragment(u.Fragment)
	if err != nil {
		return nil, err
	}
	m := &Module{Source: u.String(), Checked: sum != nil}
	u.Fragment = ""
	client := o.client(u.Host)
	elsewhere := ""
	client.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		if req.URL.Hostname() != u.Hostname() {
			elsewhere = req.URL.Hostname()
		}
		return fewRedirects(req, via)
	}
	if m.Wasm, err = o.get(ctx, client, u.String(), plugin.MaxFile); err != nil {
		return nil, err
	}
	if sum != nil && sha256.Sum256(m.Wasm) != *sum {
		return nil, fmt.Errorf("its sha256 is %x, but the URL names %x: it is another module", sha256.Sum256(m.Wasm), *sum)
	}
	if elsewhere != "" {
		m.Notes = append(m.Notes, "the address led to another host, "+printable.Line(elsewhere))
	}
	for _, b := range signatureFiles {
		sig := *u
		sig.Path, sig.RawPath = sig.Path+b.end, ""
		data, err := o.get(ctx, client, sig.String(), signature.MaxFile)
		if err != nil || strings.HasPrefix(strings.TrimSpace(string(data)), "<") {
			continue // missing, or a page that says so
		}
		m.addSignature(filepath.Base(sig.Path), data, b.parse)
	}
	return m, nil
}

// fragment parses the sha256 in a URL's fragment.
func fragment(text string) (*[sha256.Size]byte, error) {
	if text == "" {
		return nil, nil
	}
	value, ok := strings.CutPrefix(text, "sha256=")
	sum, err := hex.DecodeString(value)
	if !ok || err != nil || len(sum) != sha256.Size {
		return nil, errors.New("the part after # must be sha256= and 64 hexadecimal digits")
	}
	return (*[sha256.Size]byte)(sum), nil
}

// get downloads at most most bytes.
func (o Options) get(ctx context.Context, client *http.Client, address string, most int64) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("User-Agent", o.Agent)
	res, err := client.Do(req)
	if err != nil {
		return nil, plain(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answered %s", printable.Line(req.URL.Host), printable.Cut(printable.Line(res.Status), 100))
	}
	tooLarge := fmt.Errorf("it is larger than %d MiB", most>>20)
	if res.ContentLength > most {
		return nil, tooLarge
	}
	data, err := io.ReadAll(io.LimitReader(res.Body, most+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("it broke off after %d bytes: %w", len(data), plain(err))
	case int64(len(data)) > most:
		return nil, tooLarge
	}
	return data, nil
}

// plain returns an error on one line, without the request, which the caller names. Some of the text is the server's.
func plain(err error) error {
	if ue := new(url.Error); errors.As(err, &ue) {
		err = ue.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("it took longer than %v", fetchFor)
	}
	return errors.New(printable.Cut(printable.Line(err.Error()), maxSaid))
}

// maxSaid is how many bytes of a server's error text are shown.
const maxSaid = 400
