package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/internal/browser"
)

// timeToView measures how long it takes until a person sees what a call did: until the page has received the event and
// the new picture and, if Chromium is installed, has drawn it.
func timeToView(b *bench) error {
	s, err := b.start(b.cache, "--view", "--no-journal")
	if err != nil {
		return err
	}
	defer s.stop()
	for _, row := range []struct {
		d         domain
		n         int
		op, limit string
	}{
		{domains()[0], 20, "add svc Fresh near:Service1", "300 ms"},
		{domains()[0], 1000, "add svc Fresh at:-400,0", "300 ms"},
		{domains()[1], 1000, "note Piano C5 at:1.1", "300 ms"},
		{domains()[2], 1000, "add rect fresh at:5,5 size:30x20", "300 ms"},
	} {
		d := row.d
		if row.n > 100 {
			d.op = d.many
		}
		if err := s.newFilledDocument(d, row.n); err != nil {
			return err
		}
		said, err := s.call(d.name+"_session", "action", "view")
		if err != nil {
			return err
		}
		p, err := open(regexp.MustCompile(`http://\S+/`).FindString(said))
		if err != nil {
			return err
		}
		before, err := p.waitForDigest("")
		if err != nil {
			return err
		}
		took, err := sample(9, func(int) (cost, error) {
			if err := p.drainEvents(); err != nil {
				return cost{}, err
			}
			used, at := s.cpuTime(), time.Now()
			if _, err := s.call(d.name, "ops", []string{row.op}); err != nil {
				return cost{}, err
			}
			if _, err := p.waitForDigest(before); err != nil {
				return cost{}, err
			}
			took := cost{time.Since(at), s.cpuTime() - used}
			_, err := s.call(d.name+"_session", "action", "undo")
			return took, err
		})
		p.events.Close()
		if err != nil {
			return err
		}
		b.time(fmt.Sprintf("an op until its picture is answered to the page, %d there, %s", row.n, d.name), took, row.limit)
		if took, err = s.timeToDraw(d, row.op, p.address); err != nil {
			return err
		}
		if took != nil {
			b.time(fmt.Sprintf("an op until Chromium has drawn it, %d there, %s", row.n, d.name), took, row.limit)
		}
		if err := s.closeDocument(d); err != nil {
			return err
		}
	}
	return nil
}

// watch is a script for the page in Chromium: after watch() is called, seen is the time in milliseconds at the end of
// the first frame that shows another state.
const watch = `window.watch = () => { const digest = document.querySelector("#digest"), before = digest.textContent; window.seen = new Promise((done) => {
	const o = new MutationObserver(() => {
		if (digest.textContent == before) return;
		o.disconnect();
		requestAnimationFrame(() => requestAnimationFrame(() => done(performance.timeOrigin + performance.now())));
	});
	o.observe(digest, {childList: true, characterData: true, subtree: true});
}); }`

// timeToDraw measures how long an op takes until Chromium has drawn its effect; nil without Chromium. CPU is the host's
// only.
func (s *server) timeToDraw(d domain, op, address string) ([]cost, error) {
	var program string
	for _, name := range browser.Names() {
		if path, err := exec.LookPath(name); err == nil && program == "" {
			program = path
		}
	}
	if program == "" {
		return nil, nil
	}
	dir, err := os.MkdirTemp("", "fcp-bench-browser-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	tab, err := browser.Open(program, dir, browser.Page{URL: address, Width: 1180, Height: 760, Scripts: []string{watch}})
	if err != nil {
		return nil, err
	}
	defer tab.Close()
	if err := tab.Eval(`new Promise((done) => { const look = () => document.querySelector("#picture")?.naturalWidth && document.querySelector("#digest").textContent ? done() : setTimeout(look, 5); look(); })`, nil); err != nil {
		return nil, err
	}
	until := func(do func() error) (time.Time, error) {
		if err := tab.Eval(`watch()`, nil); err != nil {
			return time.Time{}, err
		}
		if err := do(); err != nil {
			return time.Time{}, err
		}
		var at float64
		err := tab.Eval(`seen`, &at)
		return time.UnixMicro(int64(at * 1000)), err
	}
	return sample(9, func(int) (cost, error) {
		var (
			used time.Duration
			at   time.Time
		)
		end, err := until(func() error {
			used, at = s.cpuTime(), time.Now()
			_, err := s.call(d.name, "ops", []string{op})
			return err
		})
		if err != nil {
			return cost{}, err
		}
		took := cost{end.Sub(at), s.cpuTime() - used}
		_, err = until(func() error { _, err := s.call(d.name+"_session", "action", "undo"); return err })
		return took, err
	})
}

// page simulates the page of the view without a browser.
type page struct {
	address string
	events  io.ReadCloser
	lines   *bufio.Reader
	version uint64 // of the last event
}

func open(address string) (*page, error) {
	res, err := http.Get(address + "events")
	if err != nil {
		return nil, err
	}
	return &page{address: address, events: res.Body, lines: bufio.NewReader(res.Body)}, nil
}

// next returns the version of the next event.
func (p *page) next() (version uint64, err error) {
	for {
		line, err := p.lines.ReadString('\n')
		if err != nil {
			return 0, err
		}
		if text, ok := strings.CutPrefix(line, "data: "); ok {
			return strconv.ParseUint(strings.TrimSpace(text), 10, 64)
		}
	}
}

// drainEvents reads all pending events.
func (p *page) drainEvents() error {
	for {
		var state struct{ Version uint64 }
		if err := p.ask(map[string]any{"do": "state"}, &state); err != nil || p.version >= state.Version {
			return err
		}
		for p.version < state.Version {
			var err error
			if p.version, err = p.next(); err != nil {
				return err
			}
		}
	}
}

// waitForDigest requests the picture after each event until the digest differs from other, and returns the new digest.
func (p *page) waitForDigest(other string) (digest string, err error) {
	for {
		if p.version, err = p.next(); err != nil {
			return "", err
		}
		if digest, err = p.shownDigest(); err != nil || digest != other {
			return digest, err
		}
	}
}

// shownDigest returns the digest of the document in the requested picture; "" for none.
func (p *page) shownDigest() (string, error) {
	var state struct {
		Documents []struct{ Domain, Name string }
		Follow    int
	}
	if err := p.ask(map[string]any{"do": "state"}, &state); err != nil || state.Follow < 0 {
		return "", err
	}
	doc := state.Documents[state.Follow]
	var answer struct {
		Digest, Problem string
		Picture         *struct{ URL string }
	}
	if err := p.ask(map[string]any{"do": "show", "domain": doc.Domain, "name": doc.Name}, &answer); err != nil {
		return "", err
	}
	if answer.Picture == nil {
		return "", errors.New("no picture: " + answer.Problem)
	}
	return answer.Digest, nil
}

func (p *page) ask(request map[string]any, answer any) error {
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	res, err := http.Post(p.address+"api", "application/json", strings.NewReader(string(body)))
	if err != nil {
		return err
	}
	defer res.Body.Close()
	return json.NewDecoder(res.Body).Decode(answer)
}
