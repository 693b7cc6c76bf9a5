package resource

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
)

// world answers requests and records them.
type world struct {
	missing map[string]bool
	looked  int
	asked   []string
	status  int
	body    []byte
	fails   *abi.Failure
	unread  bool // leaves inputs alone
}

func (w *world) Can() []string { return nil }

func (w *world) Settings() []abi.KeyValue { return nil }

func (w *world) Missing(_ context.Context, want string) *domain.Refusal {
	w.looked++
	if w.missing[want] {
		return &domain.Refusal{Message: "it needs " + want + ", which is not granted; start fcp-host with --grant d=" + want}
	}
	return nil
}

func (w *world) Do(_ context.Context, a domain.Asker, requests []abi.Request) []abi.Outcome {
	if !a.ReadOnly {
		panic("resources only read")
	}
	if len(requests) > abi.MaxRequests {
		panic("too many at once")
	}
	out := make([]abi.Outcome, len(requests))
	for i, r := range requests {
		switch {
		case w.fails != nil:
			out[i].Failure = w.fails
		case r.HTTP != nil:
			w.asked = append(w.asked, r.HTTP.Method+" "+r.HTTP.Endpoint+" "+strings.Join(r.HTTP.Path, "/"))
			out[i].HTTP = &abi.HTTPResponse{Status: w.status, Body: w.body}
		case w.unread:
		default:
			f, err := a.Inputs(r.Run.Inputs[0])
			if err != nil {
				panic(err)
			}
			data, _ := io.ReadAll(f)
			f.Close()
			w.asked = append(w.asked, r.Run.Program+" "+string(data))
			out[i].Data = append([]byte("probed "), data...)
		}
	}
	return out
}

var (
	bytesOf  = abi.Resource{Position: 1, Kind: abi.ResourceBytes, Accept: []string{".txt"}}
	probeOf  = abi.Resource{Position: 1, Kind: abi.ResourceProbe, Want: "program:ffprobe", Accept: []string{".mp4"}}
	fetchOf  = abi.Resource{Position: 1, Kind: abi.ResourceFetch, Want: "http:api", Path: []string{"nodes", "{}", "x"}}
	document = abi.Resource{Position: 1, Kind: abi.ResourceDocument}
)

func newDesk(t *testing.T, w *world) (*Fetcher, string) {
	t.Helper()
	dir := t.TempDir()
	roots, err := files.NewRoots(dir)
	if err != nil {
		t.Fatal(err)
	}
	return &Fetcher{Domain: &domain.Domain{Manifest: &abi.Manifest{Domain: "d"}, World: w}, Roots: roots, Probes: &Probes{}}, dir
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// get resolves words and returns the results, and a text that describes them.
func get(d *Fetcher, as *abi.Resource, words ...string) ([]Resolved, string) {
	var list []Word
	for i, w := range words {
		list = append(list, Word{i, w, as})
	}
	things := d.Get(context.Background(), list, d.Saved(context.Background(), list), func(id string) bool { return id == "known.mp4" })
	var said []string
	for _, t := range things {
		switch {
		case t.No != nil:
			said = append(said, "! "+t.No.Message+" "+strings.Join(t.Near, " "))
		case t.Supply == nil:
			said = append(said, "-")
		case t.Supply.Failure != nil:
			said = append(said, t.Supply.Failure.Kind)
		default:
			said = append(said, fmt.Sprintf("%d %s %s %.20s", t.Supply.Op, t.Supply.Word, t.Supply.Name, t.Supply.Data))
		}
	}
	return things, strings.Join(said, "\n")
}

func equal(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestAWordThatIsNoPathIsPassedOn(t *testing.T) {
	w := &world{}
	d, dir := newDesk(t, w)
	put(t, dir, "a.mp4", "A")
	put(t, dir, "known.mp4", "K")
	_, said := get(d, &probeOf, "clip1", "", "known.mp4", "./known.mp4", "Clip.2", "./Clip.2", "a.mp4")
	equal(t, said, strings.Join([]string{"-", "-", "-", "3 ./known.mp4 known.mp4 probed K", "-",
		`! Clip.2: no such file or directory; its folder holds "a.mp4", "known.mp4" `, "6 a.mp4 a.mp4 probed A"}, "\n"))
}

func TestAFileIsProbedOnceUntilItChanges(t *testing.T) {
	w := &world{}
	d, dir := newDesk(t, w)
	put(t, dir, "a.mp4", "A")
	_, said := get(d, &probeOf, "./a.mp4", "./a.mp4")
	equal(t, said, "0 ./a.mp4 a.mp4 probed A\n1 ./a.mp4 a.mp4 probed A")
	get(d, &probeOf, "a.mp4")
	if len(w.asked) != 1 {
		t.Errorf("asked %q", w.asked)
	}
	put(t, dir, "a.mp4", "B and more")
	_, said = get(d, &probeOf, "./a.mp4")
	equal(t, said, "0 ./a.mp4 a.mp4 probed B and more")
	w.fails = &abi.Failure{Kind: abi.FailedProgram, Message: "ffprobe failed"}
	put(t, dir, "b.mp4", "C")
	_, said = get(d, &probeOf, "./b.mp4", "./a.mp4")
	equal(t, said, "! ./b.mp4: ffprobe failed \n1 ./a.mp4 a.mp4 probed B and more")
}

func TestNothingIsFetchedWithoutItsGrant(t *testing.T) {
	w := &world{missing: map[string]bool{"program:ffprobe": true}}
	d, dir := newDesk(t, w)
	put(t, dir, "a.mp4", "A")
	put(t, dir, "b.mp4", "A")
	_, said := get(d, &probeOf, "./a.mp4", "./b.mp4")
	equal(t, said, "! ./a.mp4: it needs program:ffprobe, which is not granted; start fcp-host with --grant d=program:ffprobe \n"+
		"! ./b.mp4: it needs program:ffprobe, which is not granted; start fcp-host with --grant d=program:ffprobe ")
	if w.looked != 1 || len(w.asked) > 0 {
		t.Errorf("looked %d times, asked %q", w.looked, w.asked)
	}
	// A cached probe does not replace the grant.
	w.missing = nil
	get(d, &probeOf, "./a.mp4")
	w.missing = map[string]bool{"program:ffprobe": true}
	if _, said = get(d, &probeOf, "./a.mp4"); !strings.Contains(said, "not granted") {
		t.Error(said)
	}
}

func TestOnlyFilesOfTheRootsWithAnAcceptedEndingAreRead(t *testing.T) {
	d, dir := newDesk(t, &world{})
	put(t, dir, "a.txt", "text")
	put(t, dir, "key.pem", "secret")
	if err := os.Symlink(filepath.Join(dir, "key.pem"), filepath.Join(dir, "link.txt")); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "out.txt")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder.txt"), 0o700); err != nil {
		t.Fatal(err)
	}
	things, said := get(d, &bytesOf, "./a.txt", "./key.pem", "./link.txt", "./out.txt", "/etc/passwd", "../x.txt", "./folder.txt")
	lines := strings.Split(said, "\n")
	equal(t, lines[0], "0 ./a.txt a.txt text")
	for i, want := range []string{"./key.pem is not a file that it accepts: .txt", "link.txt is a link to key.pem, which has another extension", "outside the allowed folders", "outside the allowed folders", "outside the allowed folders", "folder.txt is a folder"} {
		if !strings.Contains(lines[i+1], want) {
			t.Errorf("%s, want %s", lines[i+1], want)
		}
	}
	if !things[0].Names() || things[1].Names() {
		t.Error("names are bound to what was refused")
	}
}

func TestACallTakesNoMoreThanItsRoom(t *testing.T) {
	d, dir := newDesk(t, &world{})
	for i := range 4 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.txt", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(filepath.Join(dir, fmt.Sprintf("%d.txt", i)), 20<<20); err != nil {
			t.Fatal(err)
		}
	}
	things, _ := get(d, &bytesOf, "./0.txt", "./1.txt", "./2.txt", "./3.txt")
	for i, th := range things {
		if refused := th.No != nil; refused != (i > 1) || refused && !strings.Contains(th.No.Message, "more than 48 MiB together") {
			t.Errorf("%d: %v", i, th.No)
		}
	}
	// A file that is named again is sent again.
	if things, _ = get(d, &bytesOf, "./0.txt", "./0.txt", "./0.txt"); things[1].No != nil || things[2].No == nil {
		t.Errorf("%v %v", things[1].No, things[2].No)
	}
}

func TestTheAnswerOfAServerIsSupplied(t *testing.T) {
	w := &world{status: 200, body: []byte(`{"name":"x"}`)}
	d, _ := newDesk(t, w)
	_, said := get(d, &fetchOf, "chat", "../users", "chat", "")
	equal(t, said, "0 chat  {\"name\":\"x\"}\n1 ../users  {\"name\":\"x\"}\n2 chat  {\"name\":\"x\"}\n-")
	equal(t, strings.Join(w.asked, "; "), "GET api nodes/chat/x; GET api nodes/../users/x") // one segment, which the broker escapes
	w.status = 404
	_, said = get(d, &fetchOf, "none")
	equal(t, said, abi.FailedNotFound)
	w.status = 500
	_, said = get(d, &fetchOf, "bad")
	equal(t, said, "! bad: the server answers 500: {\"name\":\"x\"} ")
	var many []string
	for i := range abi.MaxAsked + 1 {
		many = append(many, fmt.Sprint(i))
	}
	w.status = 200
	things, _ := get(d, &fetchOf, many...)
	for i, th := range things {
		if refused := th.No != nil; refused != (i == abi.MaxAsked) {
			t.Errorf("%d: %v", i, th.No)
		}
	}
}

func TestAnotherDocumentIsAResource(t *testing.T) {
	d, _ := newDesk(t, &world{})
	d.Document = func(name string) func(context.Context) ([]byte, error) {
		switch name {
		case "other":
			return func(context.Context) ([]byte, error) { return []byte("its bytes"), nil }
		case "broken":
			return func(context.Context) ([]byte, error) { return nil, fmt.Errorf("the d plugin failed") }
		}
		return nil
	}
	_, said := get(d, &document, "other", "none", "broken")
	equal(t, said, "0 other other its bytes\n-\n! broken: the d plugin failed ")
}

func TestATrialGetsOnlyTheResourcesOfItsCall(t *testing.T) {
	w := &world{}
	d, dir := newDesk(t, w)
	put(t, dir, "a.mp4", "A")
	put(t, dir, "b.mp4", "B")
	things, _ := get(d, &probeOf, "./a.mp4", "./none.mp4")
	asked := len(w.asked)
	for _, tt := range []struct {
		word string
		ok   bool
		n    int
	}{{"./a.mp4", true, 1}, {"./b.mp4", false, 0}, {"./none.mp4", false, 0}, {"clip1", true, 0}} {
		got, ok := d.Again([]Word{{0, tt.word, &probeOf}}, things, nil)
		if ok != tt.ok || len(got) != tt.n {
			t.Errorf("%s: %v %v", tt.word, got, ok)
		}
	}
	if len(w.asked) != asked {
		t.Error("it was asked for")
	}
}

func TestAnUnusedInputIsClosed(t *testing.T) {
	d, dir := newDesk(t, &world{unread: true})
	put(t, dir, "a.mp4", "A")
	before, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	for range 20 {
		d.Probes = nil
		get(d, &probeOf, "./a.mp4")
	}
	if after, _ := os.ReadDir("/proc/self/fd"); len(after) > len(before)+5 {
		t.Errorf("%d open files, %d before", len(after), len(before))
	}
}

func TestWordsAreThoseThatTheManifestNames(t *testing.T) {
	op := &abi.Op{Positionals: []abi.Positional{{Text: "one"}, {Text: "two"}}, Params: []abi.KeyValue{{Key: "from", Value: "x"}, {Key: "to", Value: "y"}}}
	var got []string
	for _, w := range Words([]abi.Resource{{Position: 2}, {Position: 3}, {Position: -1}, {Key: "from"}, {Position: 2, Behind: []string{"zero", "ONE"}}, {Position: 2, Behind: []string{"two"}}}, op, 7) {
		got = append(got, fmt.Sprint(w.Op, w.Text))
	}
	equal(t, strings.Join(got, " "), "7two 7one 7two 7x 7two")
}

func TestAnOptionalResourceWithoutItsGrantIsAFailureOfItsSupply(t *testing.T) {
	w := &world{missing: map[string]bool{"http:api": true}}
	d, _ := newDesk(t, w)
	_, said := get(d, &fetchOf, "chat")
	equal(t, said, "! chat: it needs http:api, which is not granted; start fcp-host with --grant d=http:api ")
	optional := fetchOf
	optional.Optional = true
	things, said := get(d, &optional, "chat")
	equal(t, said, abi.FailedRefused)
	equal(t, things[0].Supply.Failure.Message, "it needs http:api, which is not granted; start fcp-host with --grant d=http:api")
	again, ok := d.Again([]Word{{0, "chat", &optional}, {0, "other", &optional}}, things, nil)
	if !ok || len(again) != 2 || again[0].Failure.Message != things[0].Supply.Failure.Message || again[1].Word != "other" || again[1].Failure == nil || again[1].Failure.Kind != abi.FailedRefused {
		t.Errorf("tried out with %+v", again)
	}
	if len(w.asked) != 0 {
		t.Errorf("asked for %q", w.asked)
	}
	w.missing = nil
	for _, fails := range []struct {
		status  int
		failure *abi.Failure
		kind    string
		says    string
	}{
		{500, nil, abi.FailedProtocol, "the server answers 500: no such node"},
		{404, nil, abi.FailedNotFound, "the server answers 404"},
		{0, &abi.Failure{Kind: abi.FailedDial, Message: "nobody listens"}, abi.FailedDial, "nobody listens"},
	} {
		w.status, w.body, w.fails = fails.status, []byte("no such node"), fails.failure
		things, said := get(d, &optional, "chat")
		equal(t, said, fails.kind)
		equal(t, things[0].Supply.Failure.Message, fails.says)
	}
}
