package s3

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"github.com/fcp-host/fcp-host/host/files"
)

const epoch = "Thu, 01 Jan 1970 00:00:00 GMT"

const secret = "hunter2-hunter2"

const none = `<ListBucketResult><Name>b</Name><KeyCount>0</KeyCount><IsTruncated>false</IsTruncated></ListBucketResult>`

// open opens s3://box/p on a server that answers the list that Open makes, and passes all other requests to answer.
func open(t *testing.T, answer http.HandlerFunc) files.Tree {
	t.Helper()
	keys(t)
	b, err := Options{Endpoint: serve(t, answer)}.Open("s3://box/p")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func serve(t *testing.T, answer http.HandlerFunc) string {
	listed := false
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if !listed && req.URL.Query().Has("list-type") {
			listed = true
			io.WriteString(w, none)
			return
		}
		answer(w, req)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// keys sets credentials in the environment, hides all other settings of this machine, and makes retries fast.
func keys(t *testing.T) {
	t.Helper()
	unit := minio.DefaultRetryUnit
	minio.DefaultRetryUnit = time.Millisecond
	t.Cleanup(func() { minio.DefaultRetryUnit = unit })
	bare(t)
	t.Setenv("AWS_ACCESS_KEY_ID", "somebody")
	t.Setenv("AWS_SECRET_ACCESS_KEY", secret)
}

func bare(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	for _, name := range []string{"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_REGION", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SHARED_CREDENTIALS_FILE",
		"MINIO_ROOT_USER", "MINIO_ROOT_PASSWORD", "MINIO_ACCESS_KEY", "MINIO_SECRET_KEY", "AWS_PROFILE"} {
		t.Setenv(name, "")
	}
}

func says(w http.ResponseWriter, status int, code string) {
	w.WriteHeader(status)
	fmt.Fprintf(w, "<Error><Code>%s</Code><Message>said of %s\n</Message></Error>", code, secret)
}

func put(b files.Tree, over string) error {
	_, err := b.Write(context.Background(), "a b", strings.NewReader("text"), files.StampOf([]byte("text")), over)
	return err
}

func TestAWriteHasItsCondition(t *testing.T) {
	var got *http.Request
	var body []byte
	b := open(t, func(w http.ResponseWriter, req *http.Request) {
		got = req
		body, _ = io.ReadAll(req.Body)
		w.Header().Set("ETag", `"v2"`)
	})
	for over, want := range map[string]string{"": "*", "v1": `"v1"`} {
		o, err := b.Write(t.Context(), "a b.svg", strings.NewReader("text"), files.StampOf([]byte("text")), over)
		if err != nil || o != (files.Object{Size: 4, Version: "v2"}) {
			t.Fatalf("%v, %v", o, err)
		}
		if is := got.Header.Get("If-Match") + got.Header.Get("If-None-Match"); is != want || (got.Header.Get("If-Match") == "") != (over == "") {
			t.Errorf("the condition is %s, and not %s", is, want)
		}
		if got.Method != "PUT" || got.URL.EscapedPath() != "/box/p/a%20b.svg" || string(body) != "text" || got.Header.Get("Content-Type") != "image/svg+xml" {
			t.Errorf("sent are %s %s %q %s", got.Method, got.URL.EscapedPath(), body, got.Header.Get("Content-Type"))
		}
		if sum := got.Header.Get("X-Amz-Content-Sha256"); sum != fmt.Sprintf("%x", files.StampOf([]byte("text")).Sum) {
			t.Errorf("what is sent is signed with %s", sum)
		}
	}
}

func TestTheErrorsOfAStoreAreReported(t *testing.T) {
	status, code := 0, ""
	asked := 0
	b := open(t, func(w http.ResponseWriter, req *http.Request) { asked++; says(w, status, code) })
	refused := errors.New("refused")
	for _, c := range []struct {
		status int
		code   string
		over   string
		want   error // nil: another
		text   string
	}{
		{412, "PreconditionFailed", "", files.ErrVersion, ""},
		{412, "PreconditionFailed", "v1", files.ErrVersion, ""},
		{409, "ConditionalRequestConflict", "v1", files.ErrVersion, ""},
		{404, "NoSuchKey", "v1", files.ErrVersion, ""},
		{404, "NoSuchBucket", "v1", refused, "no such bucket"},
		{403, "AccessDenied", "v1", refused, "does not allow"},
		{403, "SignatureDoesNotMatch", "v1", refused, "does not accept the credentials (SignatureDoesNotMatch)"},
		{400, "EntityTooLarge", "", refused, "400 EntityTooLarge"},
		{400, "Odd\u009b\nCode", "", refused, "400 OddCode"},
		{501, "NotImplemented", "", nil, "501 NotImplemented"},
		{503, "SlowDown", "v1", nil, "503 SlowDown"},
		{307, "TemporaryRedirect", "v1", nil, "307 TemporaryRedirect"},
		{200, "InternalError", "v1", nil, "no ETag"},
	} {
		status, code, asked = c.status, c.code, 0
		err := put(b, c.over)
		isRefused := errors.As(err, new(*files.RefusedError))
		if err == nil || errors.Is(err, files.ErrVersion) != (c.want == files.ErrVersion) || isRefused != (c.want == refused) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%d %s: told %v", c.status, c.code, err)
		}
		if err != nil && (strings.Contains(err.Error(), secret) || strings.ContainsAny(err.Error(), "\u009b\n") || strings.Contains(err.Error(), "127.0.0.1")) {
			t.Errorf("%d %s: told %q", c.status, c.code, err)
		}
		if again := asked > 1; again != (c.status == 503) || asked > tries {
			t.Errorf("%d %s: asked %d times", c.status, c.code, asked)
		}
	}
}

func TestAStoreThatIsBusyIsAskedAgain(t *testing.T) {
	asked := 0
	b := open(t, func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		if asked++; asked == 1 {
			panic(http.ErrAbortHandler) // no answer
		}
		if string(body) != "text" {
			t.Errorf("sent again is %q", body)
		}
		w.Header().Set("ETag", `"v2"`)
	})
	if err := put(b, "v1"); err != nil || asked != 2 {
		t.Errorf("told %v after %d requests", err, asked)
	}
}

func TestAMissingObjectDoesNotExist(t *testing.T) {
	b := open(t, func(w http.ResponseWriter, req *http.Request) { w.WriteHeader(404) })
	if _, err := b.Stat(t.Context(), "a"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("told %v", err)
	}
	if _, _, err := b.Read(t.Context(), "a"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("told %v", err)
	}
}

func TestAFileWithoutAVersionIsNotRead(t *testing.T) {
	b := open(t, func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Last-Modified", epoch)
	})
	if o, err := b.Stat(t.Context(), "a"); err == nil {
		t.Errorf("it is %v", o)
	}
	if _, o, err := b.Read(t.Context(), "a"); err == nil {
		t.Errorf("it is %v", o)
	}
}

// List stops at its limit, and does not read an endless answer.
func TestListsAreBounded(t *testing.T) {
	pages := 0
	b := open(t, func(w http.ResponseWriter, req *http.Request) {
		q := req.URL.Query()
		if q.Get("prefix") != "p/sub/" || q.Get("delimiter") != "/" {
			t.Errorf("asked for %v", q)
		}
		pages++
		io.WriteString(w, `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken><EncodingType>url</EncodingType>`)
		for i := range 1000 {
			fmt.Fprintf(w, "<Contents><Key>p/sub/%d%%20x</Key></Contents>", pages*1000+i)
		}
		io.WriteString(w, `<Contents><Key>p/sub/</Key></Contents><CommonPrefixes><Prefix>p/sub/deeper/</Prefix></CommonPrefixes></ListBucketResult>`)
	})
	names, err := b.List(t.Context(), "sub", 2500)
	if err != nil || len(names) != 2500 || names[0] != "1000 x" || pages > 4 {
		t.Errorf("%d names on %d pages, %v", len(names), pages, err)
	}
	endless := open(t, func(w http.ResponseWriter, req *http.Request) {
		io.WriteString(w, `<ListBucketResult>`)
		for line := strings.Repeat(" ", 1<<20); ; {
			if _, err := io.WriteString(w, line); err != nil {
				return
			}
		}
	})
	if _, err := endless.List(t.Context(), "", 10); err == nil {
		t.Error("a list without an end was read")
	}
}

// waits returns the roots of a host that waits that long for an answer.
func waits(t *testing.T, b files.Tree, wait time.Duration) (r *files.Roots, real string) {
	t.Helper()
	r, err := files.Trees{Open: map[string]func(string) (files.Tree, error){"s3": func(string) (files.Tree, error) { return b, nil }}, Wait: wait}.NewRoots("s3://box/p")
	if err != nil {
		t.Fatal(err)
	}
	if real, err = r.Resolve("a"); err != nil {
		t.Fatal(err)
	}
	return r, real
}

// A file that is too large by its header is not read, however much the server sends.
func TestAnObjectOf5GiBIsNotRead(t *testing.T) {
	sent := make(chan int, 10)
	b := open(t, func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("ETag", `"v1"`)
		w.Header().Set("Last-Modified", epoch)
		w.Header().Set("Content-Length", fmt.Sprint(5<<30))
		n := 0
		for piece := make([]byte, 1<<20); req.Method == http.MethodGet; n += len(piece) {
			if _, err := w.Write(piece); err != nil {
				break
			}
		}
		sent <- n
	})
	r, real := waits(t, b, time.Minute)
	if _, _, err := r.Read(real); err == nil || !strings.Contains(err.Error(), "larger than 60 MiB") {
		t.Errorf("it is told %v", err)
	}
	if n := <-sent; n > 32<<20 { // the system's buffers may hold this much
		t.Errorf("%d bytes were sent", n)
	}
	if err := r.Check(real, files.Over{Known: []files.Stamp{files.StampOf(nil)}}); !errors.Is(err, files.ErrChanged) {
		t.Errorf("it is told %v", err)
	}
}

// A transfer that stalls fails.
func TestAStalledTransferEnds(t *testing.T) {
	end := make(chan struct{})
	b := open(t, func(w http.ResponseWriter, req *http.Request) {
		if req.Method == http.MethodPut {
			io.ReadFull(req.Body, make([]byte, 10))
			<-end
			return
		}
		w.Header().Set("ETag", `"v1"`)
		w.Header().Set("Last-Modified", epoch)
		w.Header().Set("Content-Length", "1000")
		io.WriteString(w, "half of it")
		w.(http.Flusher).Flush()
		<-end
	})
	t.Cleanup(func() { close(end) }) // before the server waits for what it serves
	r, real := waits(t, b, 100*time.Millisecond)
	if _, _, err := r.Read(real); err == nil || !strings.Contains(err.Error(), "did not answer in time") {
		t.Errorf("it is told %v", err)
	}
	if _, err := r.Write(real, make([]byte, 1<<20), files.Over{}); err == nil || !strings.Contains(err.Error(), "did not answer in time") {
		t.Errorf("it is told %v", err)
	}
}

// Credentials are sent to no other server.
func TestARedirectionIsNotFollowed(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it is followed") }))
	defer elsewhere.Close()
	b := open(t, func(w http.ResponseWriter, req *http.Request) {
		http.Redirect(w, req, elsewhere.URL, http.StatusTemporaryRedirect)
	})
	if _, err := b.Stat(t.Context(), "a"); err == nil {
		t.Error("there is something")
	}
	if err := put(b, ""); err == nil {
		t.Error("it is written")
	}
}

func TestCredentialsComeFromTheEnvironmentOrAFile(t *testing.T) {
	keys(t)
	bare(t)
	var who string
	server := serve(t, func(w http.ResponseWriter, req *http.Request) {
		who = req.Header.Get("Authorization")
		io.WriteString(w, none)
	})
	if _, err := (Options{Endpoint: server}).Open("s3://box/p"); err == nil || !strings.Contains(err.Error(), "AWS_ACCESS_KEY_ID") {
		t.Errorf("without credentials it is told %v", err)
	}
	file := filepath.Join(t.TempDir(), "credentials")
	if err := os.WriteFile(file, []byte("[default]\naws_access_key_id = filed\naws_secret_access_key = "+secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, set := range map[string]func(){
		"filed":  func() { t.Setenv("AWS_SHARED_CREDENTIALS_FILE", file) },
		"minio":  func() { t.Setenv("MINIO_ROOT_USER", "minio"); t.Setenv("MINIO_ROOT_PASSWORD", secret) },
		"amazon": func() { t.Setenv("AWS_ACCESS_KEY_ID", "amazon"); t.Setenv("AWS_SECRET_ACCESS_KEY", secret) },
	} {
		bare(t)
		set()
		t.Setenv("AWS_ENDPOINT_URL", server)
		t.Setenv("AWS_REGION", "mars-1")
		b, err := Options{}.Open("s3://box")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.List(t.Context(), "", 1); err != nil || !strings.Contains(who, "Credential="+name+"/") || !strings.Contains(who, "/mars-1/") {
			t.Errorf("%s: asked by %s, %v", name, who, err)
		}
	}
}

func TestAnEndpointHasTLSUnlessItSaysOtherwise(t *testing.T) {
	keys(t)
	plain := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("asked without TLS") }))
	defer plain.Close()
	if _, err := (Options{Endpoint: strings.TrimPrefix(plain.URL, "http://")}).Open("s3://box/p"); err == nil || !strings.Contains(err.Error(), "HTTP response to HTTPS") {
		t.Errorf("it is told %v", err)
	}
	for _, bad := range []string{"https://user:" + secret + "@host", "ftp://host", "https://host/path?x=" + secret, "https://", "http://[" + secret} {
		if _, err := (Options{Endpoint: bad}).Open("s3://box/p"); err == nil || strings.Contains(err.Error(), secret) || !strings.Contains(err.Error(), "https://HOST") {
			t.Errorf("%s: it is told %v", bad, err)
		}
	}
}

func TestASilentStoreIsReportedWhenItIsOpened(t *testing.T) {
	keys(t)
	end := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-end }))
	defer s.Close()
	defer close(end)
	if _, err := (Options{Endpoint: s.URL, Wait: 20 * time.Millisecond}).Open("s3://box/p"); err == nil || !strings.Contains(err.Error(), "did not answer in time") {
		t.Errorf("it is told %v", err)
	}
	if _, err := (Options{Endpoint: s.URL, Wait: 20 * time.Millisecond}).Open("s3://x"); err == nil {
		t.Error("a bucket is named x")
	}
}

func TestAnErrorOfTheNetworkNamesNoAddress(t *testing.T) {
	const at = "http://10.1.2.3:9000/songs/of/ann/x.list?X-Amz-Signature=abc"
	for _, err := range []error{
		&url.Error{Op: "Put", URL: at, Err: errors.New("Connection closed by foreign host " + at + ". Retry again.")},
		&url.Error{Op: "Put", URL: at, Err: &net.OpError{Op: "read", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(10, 1, 2, 3), Port: 9000}, Err: errors.New("connection reset by peer")}},
		&net.OpError{Op: "dial", Net: "tcp", Addr: &net.TCPAddr{IP: net.IPv4(10, 1, 2, 3), Port: 9000}, Err: errors.New("connection refused")},
	} {
		if said := reason(err).Error(); strings.Contains(said, "10.1.2.3") || strings.Contains(said, "Signature") || !strings.HasPrefix(said, "the object store: ") || len(said) < 30 {
			t.Errorf("%v is told as %q", err, said)
		}
	}
}
