package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/fcp-host/fcp-host/conformance/roots"
	"github.com/fcp-host/fcp-host/conformance/store"
	"github.com/fcp-host/fcp-host/host/files"
	"github.com/fcp-host/fcp-host/internal/judge"
)

func TestJudgeABucketOfVersityKeepsThePromisesOfARoot(t *testing.T) {
	server := judge.S3(t)
	t.Setenv("AWS_ACCESS_KEY_ID", judge.S3User)
	t.Setenv("AWS_SECRET_ACCESS_KEY", judge.S3Secret)
	root, err := minio.New(server, &minio.Options{Creds: credentials.NewStaticV4(judge.S3User, judge.S3Secret, ""), Region: "us-east-1"})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	roots.Test(t, func(t testing.TB) roots.System {
		n++
		bucket := fmt.Sprintf("laws%d", n)
		if err := root.MakeBucket(t.Context(), bucket, minio.MakeBucketOptions{}); err != nil {
			t.Fatal(err)
		}
		var proxies []*store.Proxy
		return roots.System{
			Other: other{root, bucket},
			Open: func(t testing.TB) *files.Roots {
				w := store.NewProxy(t, "tcp", server)
				proxies = append(proxies, w)
				open := Options{Endpoint: "http://" + w.Addr()}.Open
				r, err := files.Trees{Open: map[string]func(string) (files.Tree, error){"s3": open}, Wait: 5 * time.Second}.NewRoots("s3://" + bucket + "/of/hosts")
				if err != nil {
					t.Fatal(err)
				}
				return r
			},
			Cut: func(testing.TB) func() {
				for _, w := range proxies {
					w.Cut()
				}
				return func() {
					for _, w := range proxies {
						w.Restore()
					}
				}
			},
		}
	})
}

// other is another client of the bucket.
type other struct {
	client *minio.Client
	bucket string
}

func (o other) Put(t testing.TB, name string, data []byte) {
	if _, err := o.client.PutObject(context.Background(), o.bucket, "of/hosts/"+name, bytes.NewReader(data), int64(len(data)), minio.PutObjectOptions{}); err != nil {
		t.Fatal(err)
	}
}

func (o other) Get(t testing.TB, name string) ([]byte, bool) {
	f, err := o.client.GetObject(context.Background(), o.bucket, "of/hosts/"+name, minio.GetObjectOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil && !errors.Is(reason(err), fs.ErrNotExist) {
		t.Fatal(err)
	}
	return data, err == nil
}

func (o other) Drop(t testing.TB, name string) {
	if err := o.client.RemoveObject(context.Background(), o.bucket, "of/hosts/"+name, minio.RemoveObjectOptions{}); err != nil {
		t.Fatal(err)
	}
}

func (o other) Names(t testing.TB) (names []string) {
	for f := range o.client.ListObjects(context.Background(), o.bucket, minio.ListObjectsOptions{Recursive: true}) {
		if f.Err != nil {
			t.Fatal(f.Err)
		}
		names = append(names, f.Key[len("of/hosts/"):])
	}
	slices.Sort(names)
	return names
}
