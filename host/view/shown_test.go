package view

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// Pages show the reply of a call line by line, without the lines for models.
func TestWhatACallDidIsShown(t *testing.T) {
	v, sess := listed(t)
	ctx := t.Context()
	shown := func(r *reply.Reply) string {
		v.RecordCall("list", r)
		return jsonOf(ask[Show](t, v, `{"do":"show","domain":"list","name":"T"}`).Said)
	}
	shown(sess.Session(ctx, "list", "", `new "T"`))
	if got, want := shown(sess.Edit(ctx, "list", "", []string{"add one", "add two"}, []string{"checkpoint A"})), `{"lines":[{"kind":"+","text":"one"},{"kind":"+","text":"two"},{"kind":"+","text":"checkpoint \"A\""}`; !strings.HasPrefix(got, want) {
		t.Errorf("shown is %s, want %s", got, want)
	}
	if got := shown(sess.Edit(ctx, "list", "", []string{"add three", "ad four"}, nil)); !strings.Contains(got, `{"kind":"!","text":"op 2 (ad four)`) || !strings.HasSuffix(got, `"failed":true}`) || strings.Contains(got, "try:") {
		t.Errorf("of a call that failed, shown is %s", got)
	}
	for _, r := range []*reply.Reply{sess.Query(ctx, "list", "", "map"), sess.Session(ctx, "list", "", "status"), sess.Session(ctx, "list", "", "documents")} {
		if got := shown(r); !strings.Contains(got, "op 2") {
			t.Errorf("what only tells took the place of what was done: %s", got)
		}
	}
	many := make([]string, 3*maxSaid)
	for i := range many {
		many[i] = "add " + strings.Repeat("x", 2*maxLine)
	}
	if got := shown(sess.Edit(ctx, "list", "", many, nil)); strings.Count(got, `"kind"`) != maxSaid+1 || len(got) > 2*maxSaid*maxLine || !strings.Contains(got, `{"kind":"","text":"400 more lines"}`) {
		t.Errorf("of many ops, %d bytes are shown, to %s", len(got), got[max(0, len(got)-100):])
	}
	// What a model reads of a very large call is cut in the middle; a person is told the true numbers, too.
	large := make([]string, 2000)
	for i := range large {
		large[i] = fmt.Sprint("add large", i)
	}
	if got := shown(sess.Edit(ctx, "list", "", large, nil)); !strings.HasSuffix(got, `{"kind":"","text":"1800 more lines"}],"count":{"+":2000}}`) {
		t.Errorf("of a large call, shown is %s", got[max(0, len(got)-100):])
	}
	if calls := ask[Show](t, v, `{"do":"show","domain":"list","name":"T"}`).Calls; calls[len(calls)-1].Count != 2000 || len(calls[len(calls)-1].Ops) != 20 || calls[len(calls)-1].Ops[19] != "add large19" {
		t.Errorf("in the history, a call of 2000 ops is %+v", calls[len(calls)-1])
	}
	must(t, sess.Session(ctx, "list", "", "close force"))
	must(t, sess.Session(ctx, "list", "", `new "U"`))
	v.RecordCall("list", sess.Edit(ctx, "list", "", []string{"add one"}, nil))
	if len(v.said) != 1 {
		t.Errorf("what was done to %d documents is kept", len(v.said))
	}
}

// What reorders text or cannot be seen is escaped in each text that a page gets, as it is in replies.
func TestTextsOfDocumentsAreShownWithTheirControlCharacters(t *testing.T) {
	const raw, shown = "\u202egnp\u200b.exe", `\u202egnp\u200b.exe`
	v, sess := listed(t)
	must(t, sess.Session(t.Context(), "list", "", `new "`+raw+`" as:T`))
	must(t, sess.Edit(t.Context(), "list", "", []string{"add " + raw}, nil))
	seen := ask[Show](t, v, `{"do":"show","domain":"list","name":"T"}`)
	if !strings.Contains(seen.Text, shown) || seen.Calls[0].Ops[0] != "add "+shown {
		t.Errorf("a list is shown as %q, its history as %q", seen.Text, seen.Calls[0].Ops)
	}

	v, sess = served(t, testwasm.Build(t, "plugins/drawio"))
	must(t, sess.Session(t.Context(), "drawio", "", `new "`+raw+`" as:T`))
	must(t, sess.Edit(t.Context(), "drawio", "", []string{"page rename Page-1 " + raw, "add svc " + raw, "page add Two", "page switch 1"}, nil))
	must(t, sess.Session(t.Context(), "drawio", "", `save as:"./`+raw+`.drawio"`))
	answers := string(v.Answer(t.Context(), []byte(`{"do":"state"}`)))
	seen = ask[Show](t, v, `{"do":"show","domain":"drawio","name":"T"}`)
	svg, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(seen.Picture.URL, "data:image/svg+xml;base64,"))
	if err != nil || !strings.Contains(string(svg), `\u202egnp`) || strings.Contains(string(svg), "\u202e") {
		t.Errorf("the label in the picture: %v %s", err, svg)
	}
	seen.Picture = nil
	answers += jsonOf(seen)
	if len(seen.Areas) != 1 || !strings.Contains(seen.Areas[0].Name, shown) || len(seen.Pages) != 2 || seen.Pages[0] != "1 "+shown {
		t.Errorf("areas are %v, pages %q", seen.Areas, seen.Pages)
	}
	if strings.Contains(answers, "\u202e") || strings.Contains(answers, "\u200b") {
		t.Errorf("a page gets %s", answers)
	}
}

func TestPicturesAreBounded(t *testing.T) {
	drawn := func(size int) abi.Content {
		return abi.Content{Data: append([]byte(`<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9">`), make([]byte, size)...)}
	}
	if p, problem := firstShown([]abi.Content{drawn(maxPicture), {Data: []byte("text")}}); p != nil || !strings.Contains(problem, "neither an SVG nor") {
		t.Errorf("shown is %v, %q", p, problem)
	}
	if p, problem := firstShown([]abi.Content{drawn(maxPicture)}); p != nil || !strings.Contains(problem, "too many to show") {
		t.Errorf("shown is %v, %q", p, problem)
	}
	if p, problem := firstShown([]abi.Content{{Data: []byte("text")}, drawn(9)}); p == nil || p.Width != 9 || problem != "" || !strings.HasPrefix(p.URL, "data:image/svg+xml;base64,") {
		t.Errorf("shown is %v, %q", p, problem)
	}
}
