package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/fcp-host/fcp-host/conformance/store"
	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// objects is a bucket, and hosts whose only root is a prefix in it.
type objects struct {
	t      *testing.T
	server string
	client *minio.Client
}

// saver is a host that a client uses in a session.
type saver struct {
	o     *objects
	proxy *store.Proxy
	at    string

	mu  sync.Mutex
	log strings.Builder
	id  string
	n   int
}

func bucket(t *testing.T) *objects {
	t.Helper()
	o := &objects{t: t, server: judge.S3(t)}
	var err error
	if o.client, err = minio.New(o.server, &minio.Options{Creds: credentials.NewStaticV4(judge.S3User, judge.S3Secret, ""), Region: "us-east-1"}); err != nil {
		t.Fatal(err)
	}
	if err := o.client.MakeBucket(t.Context(), "songs", minio.MakeBucketOptions{}); err != nil {
		t.Fatal(err)
	}
	return o
}

func (o *objects) holds(name string) string {
	o.t.Helper()
	f, err := o.client.GetObject(o.t.Context(), "songs", "of/ann/"+name, minio.GetObjectOptions{})
	if err != nil {
		o.t.Fatal(err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		o.t.Fatal(err)
	}
	return string(data)
}

func (o *objects) host(flags ...string) *saver {
	t := o.t
	t.Helper()
	w := &saver{o: o, proxy: store.NewProxy(t, "tcp", o.server)}
	cmd := exec.Command(testwasm.Hostd(t), append([]string{"serve", "--http", "127.0.0.1:0", "--http-open", "--no-builtin", "--plugin", testwasm.List(t), "--config", "off", "--no-journal",
		"--cache", testwasm.CacheDir(t), "--root", "s3://songs/of/ann", "--s3-endpoint", "http://" + w.proxy.Addr(), "--s3-wait", "2s", "--log-level", "debug", "--limit", "list-wait=1m"}, flags...)...)
	cmd.Env = append(os.Environ(), "AWS_ACCESS_KEY_ID="+judge.S3User, "AWS_SECRET_ACCESS_KEY="+judge.S3Secret)
	cmd.Dir = t.TempDir()
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	serving := make(chan struct{})
	go func() {
		for lines := bufio.NewScanner(errs); lines.Scan(); {
			w.mu.Lock()
			fmt.Fprintln(&w.log, lines.Text())
			if _, at, ok := strings.Cut(lines.Text(), "serving "); ok && w.at == "" {
				w.at = at
				close(serving)
			}
			w.mu.Unlock()
		}
	}()
	select {
	case <-serving:
	case <-time.After(time.Minute):
		t.Fatalf("the host does not serve:\n%s", w.lastReply())
	}
	w.send("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "judge", "version": "1"}})
	return w
}

func (w *saver) lastReply() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log.String()
}

// send makes a request in the session, and returns the text of its answer.
func (w *saver) send(method string, params any) string {
	t := w.o.t
	t.Helper()
	w.n++
	data, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": w.n, "method": method, "params": params})
	req, err := http.NewRequestWithContext(t.Context(), "POST", w.at, bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if w.id != "" {
		req.Header.Set("Mcp-Session-Id", w.id)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if id := res.Header.Get("Mcp-Session-Id"); id != "" {
		w.id = id
	}
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.TrimSpace(string(body))
	if at := strings.LastIndex(text, "data: "); at >= 0 {
		text = text[at+len("data: "):]
	}
	var answer struct {
		Result struct {
			Content []struct{ Text string }
		}
		Error any
	}
	if err := json.Unmarshal([]byte(text), &answer); err != nil || answer.Error != nil {
		t.Fatalf("%s: %s", method, body)
	}
	text = ""
	for _, c := range answer.Result.Content {
		text += c.Text
	}
	if strings.Contains(text, judge.S3Secret) {
		t.Errorf("the secret is in %s", text)
	}
	return text
}

func (w *saver) act(action string) string {
	w.o.t.Helper()
	return w.send("tools/call", map[string]any{"name": "list_session", "arguments": map[string]any{"action": action}})
}

func (w *saver) add(line string) string {
	w.o.t.Helper()
	return w.send("tools/call", map[string]any{"name": "list", "arguments": map[string]any{"ops": []string{"add " + line}}})
}

// mustSay fails the test unless an answer has all of the words.
func mustSay(t *testing.T, got string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("it says %q, without %q", got, w)
		}
	}
}

func TestJudgeHostsSaveToOneBucketWithoutLosingEachOthersWork(t *testing.T) {
	o := bucket(t)
	one, two := o.host("--backup"), o.host()
	mustSay(t, one.act("new Song"), "+ new list document")
	one.add("first")
	mustSay(t, one.act("save as:./song.list"), "* saved song.list")
	mustSay(t, two.act("open s3://songs/of/ann/song.list"), "+ opened song.list")
	two.add("second")
	mustSay(t, two.act("save"), "* saved song.list")
	if got := o.holds("song.list"); got != "#list Song\nfirst\nsecond" {
		t.Errorf("it holds %q", got)
	}
	// The other host's version stays, and can be opened.
	one.add("mine")
	mustSay(t, one.act("save"), "! song.list changed on disk since it was opened; nothing was written", `save as:"song-2.list"`)
	mustSay(t, one.act("save as:song-2.list"), "* saved song-2.list")
	mustSay(t, one.act("open song.list as:again"), "+ opened song.list")
	one.add("third")
	mustSay(t, one.act("save"), "* saved song.list")
	if got := o.holds("song.list"); got != "#list Song\nfirst\nsecond\nthird" {
		t.Errorf("it holds %q", got)
	}
	if got := o.holds("song.list.bak"); got != "#list Song\nfirst\nsecond" {
		t.Errorf("its backup holds %q", got)
	}
	two.add("by force")
	mustSay(t, two.act("save"), "! song.list changed on disk")
	mustSay(t, two.act("save force"), "* saved song.list")
	mustSay(t, two.act("export upper as:./song.txt"), "+ exported song.txt")
	if got := o.holds("song.txt"); !strings.Contains(got, "BY FORCE") {
		t.Errorf("exported is %q", got)
	}
	// Nothing outside of the prefix can be opened.
	if _, err := o.client.PutObject(t.Context(), "songs", "of/bob/his.list", strings.NewReader("#list B"), 7, minio.PutObjectOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"../bob/his.list", "s3://songs/of/bob/his.list", "s3://songs/of/ann/../bob/his.list", "%2e%2e/bob/his.list", "..%2fbob/his.list", `..\\bob\\his.list`} {
		if got := two.act(`open "` + path + `"`); !strings.HasPrefix(got, "!") || strings.Contains(got, "opened") {
			t.Errorf("%s: it says %q", path, got)
		}
	}
	// If the store cannot be reached, a call ends in time, and its ops are kept.
	two.add("while it is away")
	two.proxy.Cut()
	begin := time.Now()
	mustSay(t, two.act("save"), "! song.list cannot be written")
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("the save took %s", took)
	}
	two.proxy.Restore()
	mustSay(t, two.act("save"), "* saved song.list")
	if got := o.holds("song.list"); !strings.HasSuffix(got, "while it is away") {
		t.Errorf("it holds %q", got)
	}
	for o := range o.client.ListObjects(t.Context(), "songs", minio.ListObjectsOptions{Recursive: true}) {
		if strings.Contains(o.Key, "/.") {
			t.Errorf("left is %s", o.Key)
		}
	}
	for _, w := range []*saver{one, two} {
		if strings.Contains(w.lastReply(), judge.S3Secret) || strings.Contains(w.lastReply(), "Signature=") {
			t.Errorf("its log has credentials:\n%s", w.lastReply())
		}
	}
}

// If several hosts save the same file at once, exactly one succeeds, and the others are told.
func TestJudgeOfHostsThatSaveAtOnceOneIsFirst(t *testing.T) {
	o := bucket(t)
	hosts := []*saver{o.host(), o.host(), o.host()}
	hosts[0].act("new Song")
	mustSay(t, hosts[0].act("save as:./song.list"), "* saved")
	for round := range 10 {
		for i, w := range hosts {
			mustSay(t, w.act(fmt.Sprintf("open song.list as:round%d", round)), "+ opened")
			mustSay(t, w.add(fmt.Sprintf("%d by %d", round, i)), "+")
		}
		answers := make([]string, len(hosts))
		var done sync.WaitGroup
		for i, w := range hosts {
			done.Go(func() { answers[i] = w.act("save") })
		}
		done.Wait()
		won := -1
		for i, a := range answers {
			switch {
			case strings.HasPrefix(a, "* saved song.list") && won < 0:
				won = i
			case !strings.HasPrefix(a, "! song.list changed on disk since it was opened; nothing was written"):
				t.Fatalf("round %d: told are %q", round, answers)
			}
		}
		if won < 0 {
			t.Fatalf("round %d: nobody saved: %q", round, answers)
		}
		if got := o.holds("song.list"); !strings.HasSuffix(got, fmt.Sprintf("%d by %d", round, won)) || strings.Count(got, "\n") != round+1 {
			t.Fatalf("round %d: %d saved, and it holds %q", round, won, got)
		}
	}
}
