package flow

import (
	"bytes"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/internal/flowise"
	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

func TestAFlowIsStoredOnlyOnTheRevisionThatWasFetched(t *testing.T) {
	s := &flowise.Server{}
	s.Add("Echo", "AGENTFLOW", flowise.Echo)
	fetch := func() *abi.FetchResponse {
		f, err := pdktest.Fetch(t, Domain(), "flow:Echo", world(s))
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	store := func(data []byte, revision string) *abi.StoreResponse {
		out, err := pdktest.Store(t, Domain(), abi.StoreRequest{Ref: fetch().Ref, Data: data, Revision: revision}, world(s))
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	first := fetch()
	mine, theirs := append(bytes.Clone(first.Data), ' '), append(bytes.Clone(first.Data), '\n')
	if out := store(theirs, first.Revision); out.Moved || out.Revision == first.Revision {
		t.Errorf("storing on the fetched revision: %+v", out)
	}
	if out := store(mine, first.Revision); !out.Moved || out.Revision != fetch().Revision || !bytes.Equal(fetch().Data, theirs) {
		t.Errorf("storing on an older revision: %+v, and the server has %q", out, fetch().Data)
	}
	if out := store(theirs, first.Revision); out.Moved {
		t.Errorf("storing what the server has: %+v", out)
	}
	if out := store(mine, ""); out.Moved || !bytes.Equal(fetch().Data, mine) {
		t.Errorf("storing on any revision: %+v, and the server has %q", out, fetch().Data)
	}
	if _, err := pdktest.Fetch(t, Domain(), "flow:None", world(s)); err == nil {
		t.Error("a flow that the server does not have is fetched")
	}
}

func TestAFlowOfTheServerIsRunAndDeployed(t *testing.T) {
	s := &flowise.Server{}
	ref := "flow:" + s.Add("Echo", "AGENTFLOW", flowise.Echo)
	doc := pdktest.New(t, Domain(), `"T"`, world(s))
	doc.Ref = ref
	if got := doc.Session(`run "Hi"`, nil); !strings.Contains(got, "You said: Hi") {
		t.Errorf("run: %s", got)
	}
	for _, action := range []string{"deploy", "undeploy"} {
		if got := doc.Session(action, nil); !strings.Contains(got, "deployed") {
			t.Errorf("%s: %s", action, got)
		}
	}
}
