package s3

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"
	"time"
	"unicode"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/fcp-host/fcp-host/host/files"
)

// Options say where a store is and how to use it. A zero field means the default of AWS's own programs.
type Options struct {
	Endpoint string        // https://HOST, or http://HOST:PORT without TLS; else AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL or Amazon's
	Region   string        // else AWS_REGION, AWS_DEFAULT_REGION or us-east-1
	Wait     time.Duration // for the first answer: 30 s
}

// Bucket is the objects below a prefix of a bucket. It implements [files.Tree].
type Bucket struct {
	client *minio.Core
	bucket string
	prefix string // "" or ending with a slash
}

var _ files.Tree = (*Bucket)(nil)

// tries is how often a request is sent while there is no answer or the store is busy.
const tries = 4

// Open opens s3://BUCKET/PREFIX, and lists it to check that this is possible.
func (o Options) Open(at string) (files.Tree, error) {
	bucket, prefix, _ := strings.Cut(strings.TrimPrefix(at, "s3://"), "/")
	if prefix != "" {
		prefix += "/"
	}
	b := &Bucket{bucket: bucket, prefix: prefix}
	ctx, cancel := context.WithTimeout(context.Background(), cmp.Or(o.Wait, 30*time.Second))
	defer cancel()
	if err := b.connect(o); err != nil {
		return nil, err
	}
	if _, err := b.List(ctx, "", 1); err != nil {
		if ctx.Err() != nil {
			err = files.ErrSilent
		}
		return nil, err
	}
	return b, nil
}

func (b *Bucket) connect(o Options) (err error) {
	endpoint := cmp.Or(o.Endpoint, os.Getenv("AWS_ENDPOINT_URL_S3"), os.Getenv("AWS_ENDPOINT_URL"), "https://s3.amazonaws.com")
	region := cmp.Or(o.Region, os.Getenv("AWS_REGION"), os.Getenv("AWS_DEFAULT_REGION"), "us-east-1")
	if !strings.Contains(endpoint, "://") {
		endpoint = "https://" + endpoint
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" || strings.Trim(u.Path, "/")+u.RawQuery+u.Fragment != "" {
		return errors.New("the endpoint of the object store: write it as https://HOST or http://HOST:PORT, and credentials elsewhere") // do not quote it: it may contain credentials
	}
	transport, err := minio.DefaultTransport(u.Scheme == "https")
	if err != nil {
		return err
	}
	keys := chain(region)
	if v, err := keys.GetWithContext(&credentials.CredContext{Client: metadata}); err != nil || v.AccessKeyID == "" {
		return errors.New("no credentials for the object store: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a file that has them with AWS_SHARED_CREDENTIALS_FILE")
	}
	b.client, err = minio.NewCore(u.Host, &minio.Options{Creds: keys, Secure: u.Scheme == "https", Transport: short{transport}, Region: region, MaxRetries: tries})
	if err != nil {
		return reason(err)
	}
	b.client.SetAppInfo("fcp-host", "1")
	return nil
}

// metadata is the client for the metadata service of an AWS machine. Elsewhere nothing answers.
var metadata = &http.Client{Timeout: 2 * time.Second}

// chain lists the places where AWS's and MinIO's programs look for credentials, in that order.
func chain(region string) *credentials.Credentials {
	list := []credentials.Provider{&credentials.EnvAWS{}, &credentials.EnvMinio{}, &credentials.FileAWSCredentials{}, &credentials.FileMinioClient{}}
	if os.Getenv("AWS_EC2_METADATA_DISABLED") != "true" {
		list = append(list, &credentials.IAM{Client: metadata, Region: region})
	}
	return credentials.NewChainCredentials(list)
}

// most is the maximum size of an answer that is not a file, in bytes.
const most = 8 << 20 // enough for a page of names of 1 KiB, encoded

// short is a transport that limits answers which are read into memory.
type short struct{ http.RoundTripper }

func (s short) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := s.RoundTripper.RoundTrip(req)
	if err == nil && (req.Method != http.MethodGet || req.URL.Query().Has("list-type") || res.StatusCode >= 300) {
		res.Body = struct {
			io.Reader
			io.Closer
		}{io.LimitReader(res.Body, most), res.Body}
	}
	return res, err
}

// Stat implements [files.Tree] by a HEAD request.
func (b *Bucket) Stat(ctx context.Context, name string) (files.Object, error) {
	info, err := b.client.StatObject(ctx, b.bucket, b.prefix+name, minio.StatObjectOptions{})
	if err == nil && info.ETag == "" {
		err = errNoETag
	}
	return object(info), reason(err)
}

func object(info minio.ObjectInfo) files.Object {
	return files.Object{Size: info.Size, Version: info.ETag}
}

// Read implements [files.Tree] by a GET request.
func (b *Bucket) Read(ctx context.Context, name string) (io.ReadCloser, files.Object, error) {
	body, info, _, err := b.client.GetObject(ctx, b.bucket, b.prefix+name, minio.GetObjectOptions{})
	if err != nil {
		return nil, files.Object{}, reason(err)
	}
	if info.ETag == "" {
		body.Close()
		return nil, files.Object{}, errNoETag
	}
	return reading{body}, object(info), nil
}

var errNoETag = errors.New("the object store gives no ETag")

// reading cuts errors to their reasons.
type reading struct{ io.ReadCloser }

func (r reading) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		err = reason(err)
	}
	return n, err
}

// Write implements [files.Tree] by a conditional PUT request.
func (b *Bucket) Write(ctx context.Context, name string, data io.ReadSeeker, is files.Stamp, over string) (files.Object, error) {
	o := minio.PutObjectOptions{DisableMultipart: true, DisableContentSha256: true, ContentType: mime.TypeByExtension(path.Ext(name))}
	if over == "" {
		o.SetMatchETagExcept("*")
	} else {
		o.SetMatchETag(over)
	}
	info, err := b.client.PutObject(ctx, b.bucket, b.prefix+name, data, is.Size, "", hex.EncodeToString(is.Sum[:]), o)
	switch r := minio.ToErrorResponse(err); {
	case err == nil && info.ETag == "":
		return files.Object{}, errNoETag
	case err == nil:
		return files.Object{Size: is.Size, Version: info.ETag}, nil
	case r.StatusCode == http.StatusPreconditionFailed, r.StatusCode == http.StatusConflict,
		r.StatusCode == http.StatusNotFound && over != "" && r.Code != "NoSuchBucket":
		return files.Object{}, files.ErrVersion
	}
	return files.Object{}, reason(err)
}

// Remove implements [files.Tree] by a DELETE request.
func (b *Bucket) Remove(ctx context.Context, name string) error {
	return reason(b.client.RemoveObject(ctx, b.bucket, b.prefix+name, minio.RemoveObjectOptions{}))
}

// List lists the objects that have a folder's prefix and no further slash.
func (b *Bucket) List(ctx context.Context, folder string, limit int) (names []string, err error) {
	prefix := b.prefix
	if folder != "" {
		prefix += folder + "/"
	}
	ctx, cancel := context.WithCancel(ctx) // stops the listing
	defer cancel()
	for o := range b.client.Client.ListObjectsIter(ctx, b.bucket, minio.ListObjectsOptions{Prefix: prefix, MaxKeys: min(limit+1, 1000)}) {
		if o.Err != nil {
			return nil, reason(o.Err)
		}
		if name := strings.TrimPrefix(o.Key, prefix); name != "" && !strings.HasSuffix(name, "/") {
			names = append(names, name)
		}
		if len(names) >= limit {
			break
		}
	}
	return names, nil
}

// reason makes an error without addresses, requests and what a server repeats of them.
func reason(err error) error {
	if err == nil || errors.Is(err, errNoETag) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if r := new(minio.ErrorResponse); errors.As(err, r) {
		if err = explainAnswer(*r); r.StatusCode/100 == 4 && !errors.Is(err, fs.ErrNotExist) {
			err = &files.RefusedError{Err: err}
		}
		return err
	}
	if u := new(url.Error); errors.As(err, &u) {
		if err = u.Err; strings.Contains(err.Error(), u.URL) { // the client repeats it when the store closes the connection
			err = errors.New("it closed the connection")
		}
	}
	if op := new(net.OpError); errors.As(err, &op) {
		err = op.Err
	}
	return fmt.Errorf("the object store: %s", plain(err.Error())) // not wrapped: a caller would show the system's error alone
}

// explainAnswer converts an error response of a store to an error that says what it means.
func explainAnswer(r minio.ErrorResponse) error {
	switch r.Code {
	case "NoSuchKey":
		return fs.ErrNotExist
	case "NoSuchBucket":
		return errors.New("the object store has no such bucket")
	case "AccessDenied":
		return errors.New("the object store does not allow that")
	case "InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken", "RequestTimeTooSkewed":
		return fmt.Errorf("the object store does not accept the credentials (%s)", r.Code)
	case "":
		if r.StatusCode == http.StatusNotFound {
			return fs.ErrNotExist
		}
	}
	if r.StatusCode == 0 {
		return fmt.Errorf("the object store: %s", plain(r.Message))
	}
	said := cmp.Or(strings.TrimPrefix(r.Code, fmt.Sprint(r.StatusCode)+" "), http.StatusText(r.StatusCode)) // without a body, it repeats the status
	return fmt.Errorf("the object store answers %d %s", r.StatusCode, plain(said))
}

// plain returns the start of what a server said, in one line.
func plain(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, text)
	if len(text) > 100 {
		text = strings.ToValidUTF8(text[:100], "") + "…"
	}
	return text
}
