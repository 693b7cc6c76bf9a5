package guest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/fcp-host/fcp-host/abi"
)

// maxRefused is how many refused ops are kept to be sent again.
const maxRefused = 40

// done is one op of a log.
type done struct {
	op     abi.Op
	result abi.Result
}

// walked is the result of a walk through generated ops.
type walked struct {
	doc     *instance
	first   moment
	last    moment
	log     []done
	refused []abi.Op          // some that were refused
	wrote   bool              // some op changed what is saved
	titles  map[string]string // the first lines of the descriptions of elements, by id
	// made says for each verb that created, connected or deleted something whether that ever changed what is saved.
	made map[string]bool
}

func (w *walked) events(from int) []abi.Event {
	var out []abi.Event
	for _, d := range w.log[from:] {
		out = append(out, d.result.Events...)
	}
	return out
}

// recent lists the ids that a log touched, newest first.
func recent(log []done) []string {
	var out []string
	seen := map[string]bool{}
	for _, d := range slices.Backward(log) {
		ids := d.result.IDs
		if ids == nil {
			for _, e := range d.result.Events {
				ids = append(ids, e.IDs...)
			}
		}
		for _, id := range slices.Backward(ids) {
			if !seen[id] {
				seen[id], out = true, append(out, id)
			}
		}
	}
	return out
}

// walk sends the examples and then generated ops, one by one, and checks each op, its undo and its redo.
func (j *judge) walk(pool, examples []abi.Op) (*walked, error) {
	doc, err := j.newDocument()
	if err != nil {
		return nil, err
	}
	w := &walked{doc: doc, made: map[string]bool{}}
	if w.first, err = doc.moment(); err != nil {
		return nil, err
	}
	w.last = w.first
	g := j.generator(pool)
	for sent, draws := 0, 0; len(examples) > 0 || sent < j.ops && draws < 20*j.ops; {
		var op abi.Op
		if len(examples) > 0 {
			op, examples = examples[0], examples[1:]
		} else {
			draws++
			next, ok := g.next()
			if !ok {
				continue
			}
			op = next
			sent++
		}
		if j.over() {
			return w, errFaults
		}
		if w.doc.in.NeedsRecycle() {
			if err := j.rebuild(w); err != nil {
				return w, err
			}
		}
		if err := j.step(w, g, op); err != nil {
			return w, err
		}
	}
	return w, nil
}

// step is one op of a walk.
func (j *judge) step(w *walked, g *generator, op abi.Op) error {
	j.report.Ops++
	others, err := j.watch(w, &op, g.words[g.given:])
	if err != nil {
		j.countFault(fmt.Sprintf("before %q", clip(op.Raw)), err)
		return j.rebuild(w)
	}
	out, err := w.doc.apply(false, recent(w.log), op)
	if err != nil {
		if no, ok := errors.AsType[*refusal](err); ok {
			err = fmt.Errorf("fcp_apply refused the whole call: %s", no.text)
		}
		j.countFault(fmt.Sprintf("the operation %q", clip(op.Raw)), err)
		return j.rebuild(w)
	}
	j.countFault("", nil)
	res := out.Results[0]
	now, err := w.doc.moment()
	if err != nil {
		j.countFault(fmt.Sprintf("save and state after %q", op.Raw), err)
		return j.rebuild(w)
	}
	if res.Error != nil {
		j.report.Refused++
		d := difference(w.last, now)
		if !j.expect("refusals", d == "", "%q was refused (%s) but changed the document: %s", op.Raw, res.Error.Message, d) {
			return j.rebuild(w)
		}
		if len(w.refused) < maxRefused {
			w.refused = append(w.refused, op)
		}
		return nil
	}
	j.report.Worked++
	if len(res.Events) == 0 {
		// An op may only answer, such as "page list".
		d := difference(w.last, now)
		if !j.expect("events", d == "", "%q succeeded without an event but changed the document: %s", op.Raw, d) {
			return j.rebuild(w)
		}
		j.expect("events", res.Text != "", "%q succeeded without an event, changed nothing and says nothing: it must fail instead", op.Raw)
		return nil
	}
	j.expect("events", true, "")
	if err := j.checkBystanders(w, &op, &res, now.data, others); err != nil {
		j.countFault(fmt.Sprintf("after %q", clip(op.Raw)), err)
		return j.rebuild(w)
	}
	// Elements that were created, connected or deleted must be saved; a change may concern the view only.
	switch res.Kind {
	case abi.Created, abi.Connection, abi.Deleted:
		w.made[op.Verb] = w.made[op.Verb] || !bytes.Equal(w.last.data, now.data)
	}
	if err := j.backAndForth(w, op, res.Events, now); err != nil {
		return err
	}
	g.learn(res.IDs)
	for _, e := range res.Events {
		g.learn(e.IDs)
	}
	return nil
}

// maxKept is the size of a document in bytes from which ops are no longer kept.
const maxKept = 256 << 10

// backAndForth reverses an op's events and replays them. If either fails, it rebuilds the document without the op.
func (j *judge) backAndForth(w *walked, op abi.Op, events []abi.Event, after moment) error {
	at := func(id string, run func([]abi.Event) error, want moment) bool {
		fault, _ := w.doc.against(want, run(events))
		return j.expect(id, fault == "", "after %q: %s", op.Raw, fault)
	}
	if !at("reverse", w.doc.reverse, w.last) {
		return j.rebuild(w)
	}
	if len(after.data) > max(maxKept, 2*len(w.first.data)) {
		return nil // some ops double a document, and a few of them would use all the time
	}
	if !at("replay", w.doc.replay, after) {
		return j.rebuild(w)
	}
	w.log = append(w.log, done{op, abi.Result{Events: events}})
	w.wrote = w.wrote || !bytes.Equal(w.last.data, after.data)
	w.last = after
	return nil
}

// rebuild replaces the walk's instance by a new one with the log replayed, as the host does after a fault.
func (j *judge) rebuild(w *walked) error {
	w.doc.close()
	doc, err := j.documentFrom(w.events(0))
	if err != nil {
		j.expect("recovery", false, "the log of %d operations cannot be replayed on a fresh instance: %v", len(w.log), err)
		return errFaults
	}
	w.doc = doc
	now, err := doc.moment()
	if err != nil {
		return err
	}
	d := difference(w.last, now)
	if !j.expect("recovery", d == "", "after replaying %d operations on a fresh instance %s", len(w.log), d) {
		w.last = now
	}
	return nil
}

// documentFrom returns a new document with the events replayed.
func (j *judge) documentFrom(events []abi.Event) (*instance, error) {
	doc, err := j.newDocument()
	if err != nil {
		return nil, err
	}
	if err := doc.replay(events); err != nil {
		doc.close()
		return nil, err
	}
	return doc, nil
}

// checkHistories reverses and replays the whole log, on the walk's instance and on new ones.
func (j *judge) checkHistories(w *walked) {
	if len(w.log) == 0 {
		return
	}
	compare := func(id, what string, doc *instance, err error, want moment) bool {
		fault, _ := doc.against(want, err)
		return j.expect(id, fault == "", "%s: %s", what, fault)
	}
	all := w.events(0)
	compare("reverse", fmt.Sprintf("after reversing all %d operations", len(w.log)), w.doc, w.doc.reverse(all), w.first)
	compare("replay", fmt.Sprintf("after reversing and replaying all %d operations", len(w.log)), w.doc, w.doc.replay(all), w.last)
	doc, err := j.documentFrom(all)
	what := fmt.Sprintf("after replaying %d operations on a fresh instance", len(w.log))
	if err != nil {
		j.expect("recovery", false, "%s: %v", what, err)
		return
	}
	defer doc.close()
	if compare("recovery", what, doc, nil, w.last) {
		// What was replayed there must also reverse there.
		compare("reverse", "after replaying the log on a fresh instance and reversing it", doc, doc.reverse(all), w.first)
	}
}
