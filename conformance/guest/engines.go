package guest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// crossing is one call into an instance and what came of it.
type crossing struct {
	export        string
	input, output []byte
	mayAsk, asks  bool
	err           error
}

// cross calls an export, which may ask if mayAsk says so, and records the call where the instance's calls are recorded.
func (i *instance) cross(export string, input []byte, mayAsk bool) (output []byte, asks bool, err error) {
	x := crossing{export: export, input: input, mayAsk: mayAsk}
	x.run(i.j.ctx, i.in)
	if i.crossed != nil {
		*i.crossed = append(*i.crossed, x)
	}
	return x.output, x.asks, x.err
}

// run makes the call on an instance.
func (x *crossing) run(ctx context.Context, in *sandbox.Instance) {
	if x.mayAsk {
		x.output, x.asks, x.err = in.Exchange(ctx, x.export, x.input)
	} else {
		x.output, x.err = in.Call(ctx, x.export, x.input)
	}
}

// Engines checks of the promises only that compiled and interpreted code give the same answers, as fcp-host does until a module is
// compiled. The report says in the same check if the module gives no answers at all.
func Engines(ctx context.Context, file string, wasm []byte, o Options) (*Check, error) {
	j, err := newJudge(ctx, file, wasm, o)
	if err == nil {
		defer j.box.Close()
		j.beginRound()
		if j.m, err = j.readManifest(); err == nil {
			j.d, err = domain.New(j.m, j.box)
		}
		if err == nil {
			j.checkEngines()
		}
	}
	if err != nil {
		j.expect("engines", false, "%v", err)
	}
	return j.check("engines"), ctx.Err()
}

// checkEngines runs the examples in compiled code and in the interpreter, which serves the first calls of a new module, and compares every
// answer. A compiler may translate a module wrongly, and nothing else here would see that.
func (j *judge) checkEngines() {
	if j.over() {
		return
	}
	config := j.config
	config.Interpreted = true
	config.Limits.Call = time.Second // of compiled code; interpreted, a call may take about 30 times as long
	box, err := sandbox.NewPlugin(config)
	if err != nil {
		return // the same error as of compiled code
	}
	defer box.Close()
	in, err := box.NewInstance(j.ctx, j.o.instance+j.o.changed)
	if !j.expect("engines", err == nil, "compiled, an instance starts; interpreted, none does: %v", err) {
		return
	}
	log := j.recordExamples()
	for n, compiled := range log[:j.attempts(len(log))] {
		if outOf(compiled.err) {
			return
		}
		x := compiled
		if x.run(j.ctx, in); j.ctx.Err() != nil || outOf(x.err) {
			return
		}
		if !j.expect("engines", compiled.same(&x), "call %d of a document, %s, has another answer when the module is interpreted\n  compiled    %s\n  interpreted %s",
			n+1, x.what(), describeAnswer(compiled.output, compiled.err), describeAnswer(x.output, x.err)) || kindOf(x.err) > sandbox.KindRefused {
			return // a failed instance is gone
		}
	}
}

// recordExamples makes a document with every example that can be parsed, asks it everything, reverses and repeats it all, and returns
// the calls.
func (j *judge) recordExamples() []crossing {
	var log []crossing
	j.crossed = &log
	doc, err := j.newDocument()
	j.crossed = nil
	if err != nil {
		return log
	}
	defer doc.close()
	lines := grammar.ParseAll(j.m.Example, j.d.Rules)
	var all []string
	for _, l := range lines {
		all = append(all, l.Raw)
	}
	for _, v := range j.m.Verbs {
		all = append(all, v.Examples...)
	}
	w := &walked{doc: doc}
	for _, text := range all {
		op, err := j.parse(text)
		if err != nil {
			continue
		}
		out, err := doc.apply(false, recent(w.log), op)
		if err != nil {
			return log
		}
		if out.Results[0].Error == nil {
			w.log = append(w.log, done{op, out.Results[0]})
		}
	}
	for _, q := range j.allQuestions(j.namesToQuery(w)) {
		if _, err := q.ask(doc); nonRefusal(err) != nil {
			return log
		}
	}
	events := w.events(0)
	if doc.reverse(events) == nil && doc.replay(events) == nil {
		doc.moment()
	}
	return log
}

// what names the call for people.
func (x *crossing) what() string {
	var ops abi.ApplyRequest
	var query abi.QueryRequest
	switch {
	case x.export == abi.ExportApply && abi.Unmarshal(x.input, &ops) == nil && len(ops.Ops) > 0:
		return fmt.Sprintf("the operation %q", ops.Ops[0].Raw)
	case x.export == abi.ExportQuery && abi.Unmarshal(x.input, &query) == nil:
		return fmt.Sprintf("the query %q", query.Query.Raw)
	}
	return x.export
}

// same reports whether two calls had the same answer. What a trap says of its place may differ.
func (x *crossing) same(y *crossing) bool {
	return bytes.Equal(x.output, y.output) && x.asks == y.asks && kindOf(x.err) == kindOf(y.err) && (kindOf(x.err) != sandbox.KindRefused || x.err.Error() == y.err.Error())
}

// kindOf returns how a call failed, 0 if it did not.
func kindOf(err error) (kind sandbox.Kind) {
	if e, ok := errors.AsType[*sandbox.Error](err); ok {
		kind = e.Kind
	}
	return kind
}

// outOf reports whether a call failed for lack of time, memory or stack, of which an interpreter needs more.
func outOf(err error) bool {
	kind := kindOf(err)
	return err != nil && !slices.Contains([]sandbox.Kind{sandbox.KindRefused, sandbox.KindTrap, sandbox.KindExit, sandbox.KindOutput}, kind)
}
