package session

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/budget"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/journal"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// Six documents whose plugin makes a large event for each op, within a small budget.
func TestLargeEventsStayWithinTheBudgetOfAllHistories(t *testing.T) {
	const event, most = 200 << 10, 4 << 20
	greedy := loadOnce(t, "greedy", func() ([]byte, error) {
		acts := testwasm.Minimal()
		acts[abi.ExportApply] = testwasm.Answers(&abi.ApplyResponse{State: abi.State{Digest: "1 thing"}, Results: []abi.Result{
			{Kind: abi.Created, Text: "done", Events: []abi.Event{{Type: "e", Data: make([]byte, event)}}}}})
		return testwasm.Scripted(acts), nil
	})
	c := newClient(t, "", greedy, list(t))
	shared := Memory{Histories: budget.New(most), Workers: sandbox.NewWorkers(1 << 40)}
	c.Memory = shared
	dir, err := journal.Open(filepath.Join(t.TempDir(), "journal"), journal.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	c.Keep(document.NewShelf(dir), nil)

	done := 0
	for i := range 6 {
		c.ok(c.Session.Session(ctx, "", "", fmt.Sprint("new thing T as:doc", i)))
		for range 4 {
			before := c.Current("").Summary()
			r := c.Edit(ctx, "", "", []string{"add"}, nil)
			taken, _ := shared.Histories.Use()
			if taken > most/2 {
				t.Fatalf("one plugin takes %d of %d bytes", taken, most)
			}
			if !r.Failed {
				done++
				continue
			}
			c.contains(r, "the histories of open documents take too much memory (those of the thing plugin hold 1 of 2 MiB, limit histories): save and close some, or start fcp-host with a larger --limit histories=SIZE, so nothing was changed")
			if after := c.Current("").Summary(); after != before {
				t.Errorf("a refused call left %+v, was %+v", after, before)
			}
		}
	}
	if done != (most/2)/(event+1<<10) {
		t.Errorf("%d events of %d found room in %d", done, event, most/2)
	}
	if status := c.Query(ctx, "", "", "status").String(); !regexp.MustCompile(`\nmemory: histories 2 of 4 MiB, workers 0 of 1048576 MiB, journals 2 of 4096 MiB\n`).MatchString(status) {
		t.Errorf("status says\n%s", status)
	}

	// Others are not affected, and closing a document makes room.
	c.ok(c.Session.Session(ctx, "", "", "new list L"))
	c.ok(c.Edit(ctx, "", "", []string{"add one"}, nil))
	c.ok(c.Session.Session(ctx, "", "doc0", "close force"))
	c.ok(c.Edit(ctx, "", "doc5", []string{"add"}, nil))
	// Cutting a redo tail makes room, too; an undo alone does not.
	for c.Edit(ctx, "", "doc5", []string{"add"}, nil); !c.Edit(ctx, "", "doc5", []string{"add"}, nil).Failed; {
	}
	c.ok(c.Session.Session(ctx, "", "doc5", "undo"))
	c.ok(c.Edit(ctx, "", "doc5", []string{"add"}, nil))

	// Opened and recovered documents count, too.
	c.put("big.thing", strings.Repeat("x", most/2))
	c.bad(c.Session.Session(ctx, "", "", "open ./big.thing"), "cannot open big.thing: the histories of open documents take too much memory")
	c.Close()
	if taken, _ := shared.Histories.Use(); taken != 0 {
		t.Errorf("%d bytes are taken by documents that are closed", taken)
	}
}

func TestARecoveredDocumentThatFindsNoRoomIsKept(t *testing.T) {
	dir, err := journal.Open(filepath.Join(t.TempDir(), "journal"), journal.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t, "", list(t))
	c.Keep(document.NewShelf(dir), nil)
	c.ok(c.Session.Session(ctx, "", "", "new T"))
	c.ok(c.Edit(ctx, "", "", []string{"add one"}, nil))
	roots := c.roots
	c.Close()
	for _, tt := range []struct {
		most int64
		want string
	}{{100, "limit histories"}, {1 << 20, `recovered "T"`}} {
		s := New(domain.List{list(t)}, roots)
		s.Keep(document.NewShelf(dir), nil)
		s.Memory = Memory{Histories: budget.New(tt.most)}
		if r := s.Session(ctx, "", "", "recover 1"); !strings.Contains(r.String(), tt.want) {
			t.Errorf("with %d bytes: %s", tt.most, r)
		}
		s.Close()
	}
}
