package guest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/printable"
)

// allOps is how many operations the first round generates by default.
const allOps = 150

// Options say how hard to look.
type Options struct {
	Ops      int           // operations that the first round generates beside the examples; 0 means 150. With fewer, what is tried by chance is tried less often, too
	For      time.Duration // while nothing is found, more rounds follow, each with twice the operations of the one before, until the look has taken so long; 0 for none
	Seed     uint64        // of the generated operations
	Samples  []string      // files, folders of them, or folders that are documents, to open and edit beside what the domain itself saves
	Scale    int           // elements of the largest document that is made; 0 means 3,000
	CacheDir string        // of compiled modules; "" for none
	Limits   sandbox.Limits
	Command  []string // starts a worker; nil for this binary

	instance uint64          // seed of every instance: equal seeds are part of what makes answers equal
	until    string          // the promise that ends the look when it is found broken, "" for none
	box      *sandbox.Plugin // runs the module, nil for one of its own
	now      func() time.Time
}

// judge is one plugin being looked at.
type judge struct {
	ctx     context.Context
	o       Options
	config  sandbox.Config
	box     *sandbox.Plugin
	m       *abi.Manifest
	d       *domain.Domain
	rand    *rand.Rand // of the round
	round   int        // 1 is the one that is never cut short
	ops     int        // that the round generates
	end     time.Time  // of the rounds after the first
	report  *Report
	script  []abi.Op // the example of the card
	samples []Sample
	base    *base // what documents begin with, nil for a new one
	heard   *hearer

	limit   time.Duration // of a call, of processor time; 0 where the sandbox's own limit, by the clock, is all there is
	startup time.Duration // of the processors, for an instance with a new document
	memory  uint64        // the most that an instance had
	faults  int           // calls after which an instance could not be used any more
}

// maxFaults ends the look at a plugin that does nothing but fail.
const maxFaults = 12

// over reports whether there is no use in looking further.
func (j *judge) over() bool {
	return j.faults >= maxFaults || j.ctx.Err() != nil || j.found() || j.late()
}

// late reports whether the time of the look is over. The first round has all the time it takes, so that a busy machine changes no
// verdict of it.
func (j *judge) late() bool { return j.round > 1 && j.o.now().After(j.end) }

// found reports whether the promise that ends the look was found broken.
func (j *judge) found() bool { return j.o.until != "" && !j.check(j.o.until).OK() }

// often is how many of most tries are made: fewer where fewer operations are generated than by default.
func (j *judge) often(most int) int { return max(1, min(most, most*j.ops/allOps)) }

// errFaults ends a walk.
var errFaults = errors.New("it failed too often to go on")

// Judge runs every check on a module. file names it in the report. The error
// is the context's, or says that there are no such samples; whatever the module does wrong is in the report.
func Judge(ctx context.Context, file string, wasm []byte, o Options) (*Report, error) {
	if o.Ops <= 0 {
		o.Ops = allOps
	}
	sum := sha256.Sum256(wasm)
	if o.now == nil {
		o.now = time.Now
	}
	j := &judge{ctx: ctx, o: o, end: o.now().Add(o.For), heard: &hearer{},
		report: &Report{File: file, SHA256: hex.EncodeToString(sum[:]), Size: len(wasm), Seed: o.Seed, Checks: promises()}}
	j.config = sandbox.Config{Name: file, Wasm: wasm, CacheDir: o.CacheDir, Limits: o.Limits, Command: o.Command, Log: slog.New(j.heard)}
	if j.box = o.box; j.box == nil {
		// A busy machine is no fault of the plugin.
		if _, known := processorTime(os.Getpid()); known && o.Limits.Call > 0 {
			j.limit = o.Limits.Call
			j.config.Limits.Call = max(patience, 10*j.limit)
		}
		var err error
		j.box, err = sandbox.NewPlugin(j.config)
		if err != nil {
			j.expect("manifest", false, "%v", err)
			return j.report, nil
		}
		defer j.box.Close()
	}
	j.begin()
	if j.manifest() {
		var err error
		if j.samples, err = read(j.m, o.Samples, j.folders()); err != nil {
			return nil, err
		}
		pool := j.registry()
		j.first(pool)
		for j.o.now().Before(j.end) && !j.over() && j.report.OK() {
			j.begin()
			j.another(pool)
		}
	}
	j.report.Rounds = j.round
	j.budgets()
	return j.report, ctx.Err()
}

// begin begins a round, whose random numbers are its own.
func (j *judge) begin() {
	j.ops = j.o.Ops << j.round
	j.round++
	j.rand = rand.New(rand.NewPCG(j.o.Seed, 0xfc8+uint64(j.round)))
}

// first is the round that runs everything that needs a manifest, from the examples on.
func (j *judge) first(pool []abi.Op) {
	w := j.walked(pool, pool)
	var steps []func()
	if w != nil {
		steps = append(j.chances(w),
			func() { j.questions(w) },
			func() {
				if doc, err := j.replayed(w.events(0)); err == nil {
					j.listed(doc)
					j.exported(doc)
					doc.close()
				}
			})
	}
	steps = append(steps, j.early, func() { j.files(w) }, func() { j.crowd(pool) }, func() { j.inFolders(pool) }, func() { j.tools(w) }, j.asks)
	steps = append(steps, func() { j.given(pool) }, func() { j.made(w, pool) }, func() { j.scale(pool) })
	if w != nil {
		steps = append(steps, func() { j.awkward(w, pool) }, func() { j.kill(w) })
	}
	j.all(steps)
}

// budgets says what the module takes of what it may have.
func (j *judge) budgets() {
	add := func(what, unit string, value, limit float64) {
		if value > 0 {
			j.report.Budgets = append(j.report.Budgets, Budget{what, unit, math.Round(value*10) / 10, limit})
		}
	}
	const mega = 1 << 20
	limits := j.o.Limits
	add("the file", "MiB", float64(j.report.Size)/mega, 32)
	add("starting, with a new document", "ms", float64(j.startup.Microseconds())/1000, float64(limits.Start.Milliseconds()))
	add("memory of one document, at most", "MiB", float64(j.memory)/mega, float64(limits.Memory)/mega)
}

// another is a round of what is tried by chance.
func (j *judge) another(pool []abi.Op) {
	if w := j.walked(pool, nil); w != nil {
		j.all(append(j.chances(w), func() { j.files(w) }))
		w.doc.close()
	}
}

// chances are the checks of what is tried by chance.
func (j *judge) chances(w *walked) []func() {
	return []func(){
		func() { j.histories(w) },
		func() { j.twins(w) },
		func() { j.tries(w) },
		func() { j.batches(w) },
		func() { j.runs(w) },
		func() { j.saves(w) },
	}
}

func (j *judge) all(steps []func()) {
	for _, step := range steps {
		if j.found() || j.late() {
			return
		}
		step()
	}
}

// walked is the walk of a round.
func (j *judge) walked(pool, examples []abi.Op) *walked {
	w, err := j.walk(pool, examples)
	if err != nil {
		j.endure("the walk through the operations", err)
	}
	return w
}

// check finds a promise of the report.
func (j *judge) check(id string) *Check {
	for i := range j.report.Checks {
		if j.report.Checks[i].ID == id {
			return &j.report.Checks[i]
		}
	}
	panic("no check " + id)
}

// expect looks at a promise once.
func (j *judge) expect(id string, ok bool, format string, args ...any) bool {
	c := j.check(id)
	c.Looked++
	if ok {
		return true
	}
	c.Failed++
	text := fmt.Sprintf(format, args...)
	if j.base != nil {
		text = j.base.what + ": " + text
	}
	text += j.heard.lines()
	if len(c.Problems) < maxProblems {
		c.Problems = append(c.Problems, printable.Text(text))
	}
	return false
}

// advise tells what breaks no promise.
func (j *judge) advise(format string, args ...any) {
	text := printable.Text(fmt.Sprintf(format, args...))
	if !slices.Contains(j.report.Advice, text) {
		j.report.Advice = append(j.report.Advice, text)
	}
}

// endure notes that something ended an instance. A refusal does not.
func (j *judge) endure(what string, err error) bool {
	var no *refusal
	if err == nil || errors.As(err, &no) || errors.Is(err, errFaults) {
		return j.expect("endurance", true, "")
	}
	j.faults++
	return j.expect("endurance", false, "%s: %v", what, err)
}

// manifest checks the exports and what fcp_manifest says, and reports whether
// the rest can be looked at.
func (j *judge) manifest() bool {
	ok := true
	for _, name := range abi.Required() {
		sig, has := j.box.Info().Func(name)
		ok = j.expect("manifest", has && sig == "() -> i32", "the export %s is missing, or is not () -> i32", name) && ok
	}
	if !ok {
		return false
	}
	m, err := j.described()
	if !j.expect("manifest", err == nil, "%v", err) {
		return false
	}
	d, err := domain.New(m, j.box)
	if !j.expect("manifest", err == nil, "%v", err) {
		return false
	}
	j.m, j.d = m, d
	j.report.Domain, j.report.Version = m.Domain, m.Version
	j.report.Wants = m.Wants
	j.constant()
	j.started()
	needs := func(export string, used bool, what string) {
		_, has := j.box.Info().Func(export)
		j.expect("manifest", has || !used, "the manifest lists %s, and the module has no %s", what, export)
	}
	needs(abi.ExportSession, len(m.Session) > 0, "session verbs")
	needs(abi.ExportExport, len(m.Exports) > 0, "export formats")
	needs(abi.ExportTool, len(m.Tools) > 0, "typed tools")
	needs(abi.ExportFetch, len(m.Schemes) > 0, "schemes of remote documents")
	names := map[string]bool{}
	for _, q := range m.Queries {
		names[q.Name] = true
		first, _, _ := strings.Cut(q.Syntax, " ")
		j.expect("manifest", first == q.Name, "the query %s has the syntax %q, which does not begin with it", q.Name, q.Syntax)
	}
	for _, q := range []string{"map", "stats"} {
		if !names[q] {
			j.advise("there is no query %s: agents ask it to learn what is there", q)
		}
	}
	verbs := map[string]bool{}
	for _, v := range m.Verbs {
		verbs[v.Name] = true
		first, _, _ := strings.Cut(v.Syntax, " ")
		j.expect("manifest", first == v.Name, "the verb %s has the syntax %q, which does not begin with it", v.Name, v.Syntax)
	}
	for _, v := range []string{"add", "remove"} {
		if !verbs[v] {
			j.advise("there is no verb %s: agents try it first; where it makes sense, have it, if need be hidden, as a second spelling", v)
		}
	}
	return true
}

// started measures what a new document takes, at best.
func (j *judge) started() {
	for range 3 {
		pid := j.box.Stats().PID
		before, known := processorTime(pid)
		i, err := j.fresh()
		after, _ := processorTime(pid)
		i.close()
		if err != nil || !known {
			return
		}
		if j.startup == 0 || after-before < j.startup {
			j.startup = after - before
		}
	}
}

// described is the manifest that an instance gives.
func (j *judge) described() (*abi.Manifest, error) {
	i, err := j.bare()
	if err != nil {
		return nil, err
	}
	defer i.close()
	data, err := i.in.Call(j.ctx, abi.ExportManifest, nil)
	if err != nil {
		return nil, err
	}
	return domain.DecodeManifest(data)
}

// constant asks for the manifest again: it is a constant of the module.
func (j *judge) constant() {
	var first []byte
	for range 3 {
		i, err := j.bare()
		if err != nil {
			j.endure("starting an instance", err)
			return
		}
		for range 2 {
			data, err := i.in.Call(j.ctx, abi.ExportManifest, nil)
			if err != nil {
				j.expect("manifest", false, "fcp_manifest: %v", err)
				break
			}
			if first == nil {
				first = data
			}
			j.expect("manifest", bytes.Equal(first, data), "fcp_manifest answers differently when asked again")
		}
		i.close()
	}
}

// parse reads an op as the host does, and refuses what the host would refuse
// before the domain sees it.
func (j *judge) parse(op string) (abi.Op, error) {
	parsed, err := grammar.Parse(op, j.d.Rules)
	if err != nil {
		return abi.Op{}, err
	}
	if e := j.d.Check(&parsed); e != nil {
		return abi.Op{}, errors.New(e.Message)
	}
	return domain.Op(&parsed), nil
}
