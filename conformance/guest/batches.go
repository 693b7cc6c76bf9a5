package guest

import (
	"bytes"
	"fmt"

	"github.com/fcp-host/fcp-host/abi"
)

// failingBatches is how many failing batches are sent.
const failingBatches = 12

// checkBatches sends calls that fail in the middle, atomic and with each, and reverses what succeeded, as the host does.
func (j *judge) checkBatches(w *walked) {
	if len(w.log) < 2 || len(w.refused) == 0 {
		return
	}
	for round := range j.attempts(failingBatches) {
		if j.late() {
			return
		}
		at := j.rand.IntN(len(w.log) - 1)
		ops := []abi.Op{}
		for _, d := range w.log[at:min(len(w.log), at+3)] {
			ops = append(ops, d.op)
		}
		bad := w.refused[j.rand.IntN(len(w.refused))]
		ops = append(ops, bad)
		ops = append(ops, w.log[len(w.log)-1].op)
		if !j.checkFailedBatch(w, at, ops, round%2 == 1) {
			return
		}
	}
}

// checkFailedBatch sends ops to the document after the log's first at ops. It reports whether to continue.
func (j *judge) checkFailedBatch(w *walked, at int, ops []abi.Op, each bool) bool {
	var before []abi.Event
	for _, d := range w.log[:at] {
		before = append(before, d.result.Events...)
	}
	doc, err := j.documentFrom(before)
	if err != nil {
		j.countFault("replaying a part of the log", err)
		return false
	}
	defer doc.close()
	was, err := doc.moment()
	if err != nil {
		j.countFault("save and state", err)
		return false
	}
	out, err := doc.apply(each, recent(w.log[:at]), ops...)
	if !j.countFault(fmt.Sprintf("a batch of %d operations that starts with %q", len(ops), ops[0].Raw), err) || err != nil {
		return false
	}
	failed, events := 0, []abi.Event{}
	for _, r := range out.Results {
		if r.Error != nil {
			failed++
			continue
		}
		events = append(events, r.Events...)
	}
	if failed == 0 {
		return true // the op that was refused elsewhere works here
	}
	fault, _ := doc.against(was, doc.reverse(events))
	j.expect("batches", fault == "", "after a failed batch that starts with %q and the reversal of its events: %s", ops[0].Raw, fault)
	return true
}

// runCount is how often the same ops run.
const runCount = 20

// checkRuns runs one sequence of ops on new instances, with different queries in between and in different batches. Neither
// what a query uses up (random numbers, memory) nor how ops are batched may change any answer.
func (j *judge) checkRuns(w *walked) {
	if len(w.log) == 0 {
		return
	}
	ops := make([]abi.Op, 0, 40)
	for _, d := range w.log[:min(len(w.log), 40)] {
		ops = append(ops, d.op)
	}
	asked := j.allQuestions(j.namesToQuery(w)[:1])
	var first [][]byte
	var end moment
	for k := range j.attempts(runCount) {
		if j.late() {
			return
		}
		answers, last, err := j.runOnce(ops, asked, k)
		if err != nil {
			j.countFault(fmt.Sprintf("run %d of %d operations", k+1, len(ops)), err)
			return
		}
		if k == 0 {
			first, end = answers, last
			continue
		}
		id := "determinism"
		for i := range first {
			if !j.expect(id, i < len(answers) && bytes.Equal(first[i], answers[i]), "run %d answers the operation %q differently from run 1%s", k+1, ops[i].Raw, firstDifference(first, answers, i)) {
				return
			}
		}
		d := difference(end, last)
		if !j.expect(id, d == "", "run %d ends differently from run 1: %s", k+1, d) {
			return
		}
		if k%2 == 1 {
			j.expect("batches", d == "", "sent as one batch, the operations end differently: %s", d)
		}
	}
}

func firstDifference(a, b [][]byte, i int) string {
	if i >= len(b) {
		return ": with no answer"
	}
	at := 0
	for at < len(a[i]) && at < len(b[i]) && a[i][at] == b[i][at] {
		at++
	}
	return fmt.Sprintf(": %s, not %s", around(b[i], at), around(a[i], at))
}

// runOnce is run k of checkRuns: odd runs send a single batch, even ones one op at a time.
func (j *judge) runOnce(ops []abi.Op, asked []question, k int) (answers [][]byte, last moment, err error) {
	doc, err := j.newDocument()
	if err != nil {
		return nil, last, err
	}
	defer doc.close()
	ask := func(n int) error {
		for q := range n {
			if _, err := asked[(q*7+k)%len(asked)].ask(doc); nonRefusal(err) != nil {
				return err
			}
		}
		return nil
	}
	add := func(results []abi.Result) error {
		for i := range results {
			data, err := abi.Marshal(&results[i])
			if err != nil {
				return err
			}
			answers = append(answers, data)
		}
		return nil
	}
	if k%2 == 1 && !j.m.Stamps { // a nonce belongs to a call, so other batches have other nonces
		if err := ask(k); err != nil {
			return nil, last, err
		}
		out, err := doc.apply(true, nil, ops...)
		if err != nil {
			return nil, last, err
		}
		if err := add(out.Results); err != nil {
			return nil, last, err
		}
	} else {
		var log []done
		for i, op := range ops {
			if (i+k)%5 == 4 {
				if err := ask(1 + k/4); err != nil {
					return nil, last, err
				}
			}
			out, err := doc.apply(false, recent(log), op)
			if err != nil {
				return nil, last, err
			}
			if err := add(out.Results); err != nil {
				return nil, last, err
			}
			if out.Results[0].Error == nil {
				log = append(log, done{op, out.Results[0]})
			}
		}
	}
	last, err = doc.moment()
	return answers, last, err
}
