package command

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

func TestProfilesAreServedToWhoeverKnowsTheSecret(t *testing.T) {
	var said strings.Builder
	stop, ok := (&settings{pprof: "127.0.0.1:0"}).profile(stdio{err: &said})
	if !ok {
		t.Fatal(said.String())
	}
	defer stop()
	m := regexp.MustCompile(`^fcp-host: profiles at (http://127\.0\.0\.1:\d+)(/\w{20,})(/debug/pprof/)\n$`).FindStringSubmatch(said.String())
	if m == nil {
		t.Fatalf("it says %q", said.String())
	}
	get := func(url string) (int, string) {
		res, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(body)
	}
	origin, secret, path := m[1], m[2], m[3]
	if status, body := get(origin + secret + path + "goroutine?debug=1"); status != http.StatusOK || !strings.Contains(body, "goroutine profile:") {
		t.Errorf("%d %s", status, body)
	}
	for _, wrong := range []string{path, "/", secret[:len(secret)-1] + path, "/x" + secret + path} {
		if status, _ := get(origin + wrong); status != http.StatusNotFound {
			t.Errorf("%s is answered with %d", wrong, status)
		}
	}
	stop()
	if _, err := http.Get(origin + secret + path); err == nil {
		t.Error("it is served after the end")
	}
}

func TestProfilesAreServedToThisMachineAlone(t *testing.T) {
	for _, addr := range []string{":0", "0.0.0.0:0", "192.0.2.1:6060", "example.com:0", "[::]:0", "127.0.0.1", "6060"} {
		var said strings.Builder
		if stop, ok := (&settings{pprof: addr}).profile(stdio{err: &said}); ok {
			stop()
			t.Errorf("%s is served", addr)
		} else if !strings.HasPrefix(said.String(), "fcp-host: --pprof "+addr+": ") || !strings.Contains(said.String(), "127.0.0.1") {
			t.Errorf("%s: it says %q", addr, said.String())
		}
	}
}
