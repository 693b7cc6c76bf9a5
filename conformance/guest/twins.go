package guest

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/fcp-host/fcp-host/abi"
)

// checkTwins compares a document that ran the log's ops and reversed some with one that only got the events of the rest.
// Other checks compare their bytes and state; an index or cache beside the model only shows in answers and refusals.
func (j *judge) checkTwins(w *walked) {
	if len(w.log) == 0 || j.over() {
		return
	}
	words := j.namesToQuery(w)
	asked := slices.DeleteFunc(j.allQuestions(words), func(q question) bool { return !q.query || q.all })
	bare := slices.DeleteFunc(slices.Clone(asked), func(q question) bool { return !q.bare })
	places := []int{len(w.log) / 2}
	for range j.attempts(6) - 1 {
		places = append(places, j.rand.IntN(len(w.log)))
	}
	slices.Sort(places)
	places = slices.Compact(places)
	lived, events, err := j.runLog(w)
	if err != nil {
		return
	}
	defer lived.close()
	if !j.checkTwin(w, lived, slices.Concat(events...), len(w.log), bare) {
		return
	}
	// It reverses more at each position.
	last := len(w.log)
	for k, at := range slices.Backward(places) {
		// Ask each question at one position: an index that forgets does so everywhere.
		var some []question
		for i := k; i < len(asked); i += len(places) {
			some = append(some, asked[i])
		}
		if j.late() || lived.reverse(slices.Concat(events[at:last]...)) != nil || !j.checkTwin(w, lived, slices.Concat(events[:at]...), at, some) {
			return
		}
		last = at
	}
}

// checkTwin compares lived, which has reversed all but the log's first at ops, with a document that got their events. It
// stops at what other checks report.
func (j *judge) checkTwin(w *walked, lived *instance, events []abi.Event, at int, asked []question) bool {
	told, err := j.documentFrom(events)
	if err != nil {
		return false
	}
	defer told.close()
	id, what := "reverse", fmt.Sprintf("after %d operations, of which %d were reversed", len(w.log), len(w.log)-at)
	if at == len(w.log) {
		id, what = "recovery", fmt.Sprintf("after %d operations", at)
	}
	for _, q := range asked {
		a, err1 := q.ask(lived)
		b, err2 := q.ask(told)
		if nonRefusal(err1) != nil || nonRefusal(err2) != nil {
			return false
		}
		if !j.expect(id, bytes.Equal(a, b) && problem(err1) == problem(err2), "%s, %s gives %s, but with the same events on a fresh instance %s",
			what, q.name, describeAnswer(a, err1), describeAnswer(b, err2)) {
			return false
		}
	}
	if at == len(w.log) {
		return true
	}
	op := w.log[at].op
	out, err1 := lived.apply(false, recent(w.log[:at]), op)
	again, err2 := told.apply(false, recent(w.log[:at]), op)
	if err1 != nil || err2 != nil {
		return false
	}
	a, b := refusalOf(out), refusalOf(again)
	return j.expect(id, a == b, "%s, %q gives %s, but with the same events on a fresh instance %s", what, op.Raw, a, b) &&
		lived.reverse(out.Results[0].Events) == nil
}

// runLog returns a new document that ran the log's ops one by one, and the events of each.
func (j *judge) runLog(w *walked) (*instance, [][]abi.Event, error) {
	doc, err := j.newDocument()
	if err != nil {
		return nil, nil, err
	}
	var events [][]abi.Event
	for k, d := range w.log {
		out, err := doc.apply(false, recent(w.log[:k]), d.op)
		if err == nil && (out.Results[0].Error != nil || len(out.Results[0].Events) != len(d.result.Events)) {
			err = fmt.Errorf("%q has another effect than before", d.op.Raw) // the check "determinism" reports it
		}
		if err != nil {
			doc.close()
			return nil, nil, err
		}
		events = append(events, out.Results[0].Events)
	}
	return doc, events, nil
}

// refusalOf returns the refusal in an answer with one result, or says that the op works.
func refusalOf(out *abi.ApplyResponse) string {
	if e := out.Results[0].Error; e != nil {
		return "the refusal " + e.Message
	}
	return "no refusal"
}
