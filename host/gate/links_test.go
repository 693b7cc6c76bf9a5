package gate

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestALinkIsItsPrincipalsUntilItEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := New(Config{Open: true, Hosts: []string{"edit.example"}, Log: slog.New(slog.DiscardHandler)})
		who, target := "", any(nil)
		h := g.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			who, target = Of(r.Context()).Principal, Of(r.Context()).Target()
		}))
		follow := func(url string) (string, any) {
			t.Helper()
			who, target = "", nil
			h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", url, nil))
			return who, target
		}
		ann := func(host, proto string, until time.Time) *Call {
			r := httptest.NewRequest("POST", "http://"+host+"/mcp", nil)
			if proto != "" {
				r.Header.Set("X-Forwarded-Proto", proto)
			}
			return &Call{g: g, Principal: "ann", until: until, site: siteFor(r, nil)}
		}
		for _, host := range []string{"127.0.0.1:80", "localhost", "[::1]:80"} {
			if url, _ := ann(host, "", time.Time{}).Link("x", ""); url != "" {
				t.Errorf("a caller at %s gets %s", host, url)
			}
		}
		plain, _ := ann("edit.example:81", "http", time.Time{}).Link("x", "")
		url, life := ann("edit.example", "", time.Time{}).Link("x", "-h")
		if !strings.HasPrefix(plain, "http://edit.example:81/files/") || !strings.HasPrefix(url, "https://edit.example/files/") || !strings.HasSuffix(url, "-h") || life != linkLife {
			t.Errorf("links %s and %s, for %s", plain, url, life)
		}
		short, life := ann("edit.example", "", time.Now().Add(time.Minute)).Link("y", "")
		if life != time.Minute {
			t.Errorf("a link outlives its caller's token: %s", life)
		}
		if who, target := follow(url); who != "ann" || target != "x" {
			t.Errorf("the link is %s's, for %v", who, target)
		}
		if who, target := follow(url + "x"); who != linkBearer || target != nil {
			t.Errorf("an unknown link is %s's, for %v", who, target)
		}
		time.Sleep(time.Minute)
		if _, target := follow(short); target != nil {
			t.Error("a link outlives its caller's token")
		}
		time.Sleep(linkLife - time.Minute - 1)
		if _, target := follow(url); target != "x" {
			t.Error("a link ends early")
		}
		time.Sleep(time.Nanosecond)
		if _, target := follow(url); target != nil {
			t.Error("a link does not end")
		}

		var urls []string
		for i := range maxLinks + 1 {
			url, _ := ann("edit.example", "", time.Time{}).Link(i, "")
			urls = append(urls, url)
			time.Sleep(time.Millisecond)
		}
		ended := slices.IndexFunc(urls, func(url string) bool { _, target := follow(url); return target != nil })
		if ended != 1 || len(g.links.all) != maxLinks {
			t.Errorf("%d links are kept, and the first one is number %d", len(g.links.all), ended)
		}
		g.EndLink(httptest.NewRequest("PUT", urls[1], nil))
		if _, target := follow(urls[1]); target != nil {
			t.Error("an ended link works")
		}
	})
}
