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

// allOps is the default number of ops that the first round generates.
const allOps = 150

// Options say how thoroughly to check.
type Options struct {
	Ops      int           // ops that the first round generates in addition to the examples; 0 means 150. Fewer ops also mean fewer random attempts
	For      time.Duration // while nothing is found, further rounds follow, each with twice the ops of the one before, for at most this time; 0 for none
	Seed     uint64        // seed of the generated ops
	Samples  []string      // files, folders of files, or folder documents to open and edit in addition to what the domain saves itself
	Scale    int           // elements in the largest generated document; 0 means 3,000
	CacheDir string        // cache of compiled modules; "" for none
	Limits   sandbox.Limits
	Command  []string // the command that starts a worker; nil for this binary

	instance uint64          // seed of every instance, so that equal calls must have equal answers
	changed  uint64          // is added to the seed of interpreted instances, to test the comparison
	until    string          // a promise; the check ends when it is found broken; "" for none
	box      *sandbox.Plugin // runs the module; nil for a new one
	now      func() time.Time
}

// judge is the state of checking one plugin.
type judge struct {
	ctx     context.Context
	o       Options
	config  sandbox.Config
	box     *sandbox.Plugin
	m       *abi.Manifest
	d       *domain.Domain
	rand    *rand.Rand // of the round
	round   int        // 1 is the round that is never cut short
	ops     int        // that this round generates
	end     time.Time  // deadline of the rounds after the first
	report  *Report
	script  []abi.Op // the example in the manifest
	samples []Sample
	base    *base // the file that documents start from; nil for a new document
	heard   *hearer

	crossed *[]crossing // where new instances record their calls; nil for nowhere

	limit   time.Duration // processor time of a call; 0 to use only the sandbox's own limit, which is elapsed time
	startup time.Duration // processor time of an instance with a new document
	memory  uint64        // peak of any instance
	faults  int           // calls that made an instance unusable

}

// maxFaults ends the check of a plugin that only fails.
const maxFaults = 12

// over reports whether further checks are pointless.
func (j *judge) over() bool {
	return j.faults >= maxFaults || j.ctx.Err() != nil || j.untilBroken() || j.late()
}

// late reports whether the time is used up. The first round has no limit, so that its verdict does not depend on the
// machine's load.
func (j *judge) late() bool { return j.round > 1 && j.o.now().After(j.end) }

// untilBroken reports whether the promise in until was found broken.
func (j *judge) untilBroken() bool { return j.o.until != "" && !j.check(j.o.until).OK() }

// attempts returns how many of most attempts to make: fewer if fewer ops are generated than by default.
func (j *judge) attempts(most int) int { return max(1, min(most, most*j.ops/allOps)) }

// errFaults ends a walk.
var errFaults = errors.New("it failed too often to continue")

// Judge runs every check on a module. file is its name in the report. The error is the context's, or says that samples
// are missing; what the module does wrong is in the report.
func Judge(ctx context.Context, file string, wasm []byte, o Options) (*Report, error) {
	j, err := newJudge(ctx, file, wasm, o)
	if !j.expect("manifest", err == nil, "%v", err) {
		return j.report, nil
	}
	if j.box != o.box {
		defer j.box.Close()
	}
	j.beginRound()
	if j.checkManifest() {
		if j.samples, err = readSamples(j.m, o.Samples, j.folders()); err != nil {
			return nil, err
		}
		pool := j.checkRegistry()
		j.firstRound(pool)
		for j.o.now().Before(j.end) && !j.over() && j.report.OK() {
			j.beginRound()
			j.furtherRound(pool)
		}
	}
	j.report.Rounds = j.round
	j.reportBudgets()
	return j.report, ctx.Err()
}

// newJudge returns a judge whose box runs the module. The error says why there can be none.
func newJudge(ctx context.Context, file string, wasm []byte, o Options) (j *judge, err error) {
	if o.Ops <= 0 {
		o.Ops = allOps
	}
	sum := sha256.Sum256(wasm)
	if o.now == nil {
		o.now = time.Now
	}
	j = &judge{ctx: ctx, o: o, end: o.now().Add(o.For), heard: &hearer{},
		report: &Report{File: file, SHA256: hex.EncodeToString(sum[:]), Size: len(wasm), Seed: o.Seed, Checks: promises()}}
	j.config = sandbox.Config{Name: file, Wasm: wasm, CacheDir: o.CacheDir, Limits: o.Limits, Command: o.Command, Log: slog.New(j.heard)}
	if j.box = o.box; j.box == nil {
		// Measure processor time: a busy machine is not the plugin's fault.
		if _, known := processorTime(os.Getpid()); known && o.Limits.Call > 0 {
			j.limit = o.Limits.Call
			j.config.Limits.Call = max(patience, 10*j.limit)
		}
		j.box, err = sandbox.NewPlugin(j.config)
	}
	return j, err
}

// beginRound starts a round with its own random numbers.
func (j *judge) beginRound() {
	j.ops = j.o.Ops << j.round
	j.round++
	j.rand = rand.New(rand.NewPCG(j.o.Seed, 0xfc8+uint64(j.round)))
}

// firstRound is the round that runs all checks, starting with the examples.
func (j *judge) firstRound(pool []abi.Op) {
	w := j.walkRound(pool, pool)
	var steps []func()
	if w != nil {
		steps = append(j.randomChecks(w),
			func() { j.checkQuestions(w) },
			func() {
				if doc, err := j.documentFrom(w.events(0)); err == nil {
					j.checkListed(doc)
					j.checkExports(doc)
					doc.close()
				}
			})
	}
	steps = append(steps, j.checkWithoutDocument, func() { j.checkInvalidFiles(w) }, func() { j.checkLargeCall(pool) }, func() { j.checkFolders(pool) }, func() { j.checkTools(w) }, j.checkAsking, j.checkEngines)
	steps = append(steps, func() { j.checkGivenSamples(pool) }, func() { j.checkDamagedSaves(w, pool) }, func() { j.checkScale(pool) })
	if w != nil {
		steps = append(steps, func() { j.checkAwkwardWords(w, pool) }, func() { j.checkKilled(w) })
	}
	j.runChecks(steps)
}

// reportBudgets reports how much of its limits the module uses.
func (j *judge) reportBudgets() {
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

// furtherRound is a further round of random checks.
func (j *judge) furtherRound(pool []abi.Op) {
	if w := j.walkRound(pool, nil); w != nil {
		j.runChecks(append(j.randomChecks(w), func() { j.checkInvalidFiles(w) }))
		w.doc.close()
	}
}

// randomChecks lists the random checks.
func (j *judge) randomChecks(w *walked) []func() {
	return []func(){
		func() { j.checkHistories(w) },
		func() { j.checkTwins(w) },
		func() { j.checkTries(w) },
		func() { j.checkBatches(w) },
		func() { j.checkRuns(w) },
		func() { j.checkSaves(w) },
	}
}

func (j *judge) runChecks(steps []func()) {
	for _, step := range steps {
		if j.untilBroken() || j.late() {
			return
		}
		step()
	}
}

// walkRound does the walk of a round.
func (j *judge) walkRound(pool, examples []abi.Op) *walked {
	w, err := j.walk(pool, examples)
	if err != nil {
		j.countFault("the walk through the operations", err)
	}
	return w
}

// check returns the report's entry for a promise.
func (j *judge) check(id string) *Check {
	for i := range j.report.Checks {
		if j.report.Checks[i].ID == id {
			return &j.report.Checks[i]
		}
	}
	panic("no check " + id)
}

// expect counts one test of a promise.
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

// advise reports something that breaks no promise.
func (j *judge) advise(format string, args ...any) {
	text := printable.Text(fmt.Sprintf(format, args...))
	if !slices.Contains(j.report.Advice, text) {
		j.report.Advice = append(j.report.Advice, text)
	}
}

// countFault counts a fault. A refusal is not one.
func (j *judge) countFault(what string, err error) bool {
	var no *refusal
	if err == nil || errors.As(err, &no) || errors.Is(err, errFaults) {
		return j.expect("endurance", true, "")
	}
	j.faults++
	return j.expect("endurance", false, "%s: %v", what, err)
}

// checkManifest checks the exports and fcp_manifest, and reports whether other checks can run.
func (j *judge) checkManifest() bool {
	ok := true
	for _, name := range abi.Required() {
		sig, has := j.box.Info().Func(name)
		ok = j.expect("manifest", has && sig == "() -> i32", "the export %s is missing, or is not () -> i32", name) && ok
	}
	if !ok {
		return false
	}
	m, err := j.readManifest()
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
	j.checkConstantManifest()
	j.measureStart()
	needs := func(export string, used bool, what string) {
		_, has := j.box.Info().Func(export)
		j.expect("manifest", has || !used, "the manifest lists %s, but the module has no %s", what, export)
	}
	needs(abi.ExportSession, len(m.Session) > 0, "session actions")
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
			j.advise("there is no query %s: models use it to learn what a document contains", q)
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
			j.advise("there is no verb %s, which models try first: if it makes sense, add it, hidden if it is only a second spelling", v)
		}
	}
	return true
}

// measureStart measures the least time that a new document takes.
func (j *judge) measureStart() {
	for range 3 {
		pid := j.box.Stats().PID
		before, known := processorTime(pid)
		i, err := j.newDocument()
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

// readManifest returns an instance's manifest.
func (j *judge) readManifest() (*abi.Manifest, error) {
	i, err := j.newInstance()
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

// checkConstantManifest reads the manifest again: it must be constant.
func (j *judge) checkConstantManifest() {
	var first []byte
	for range 3 {
		i, err := j.newInstance()
		if err != nil {
			j.countFault("starting an instance", err)
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
			j.expect("manifest", bytes.Equal(first, data), "a second call of fcp_manifest answers differently")
		}
		i.close()
	}
}

// parse parses an op as the host does, and refuses what the host refuses before the domain sees it.
func (j *judge) parse(op string) (abi.Op, error) {
	parsed, err := grammar.Parse(op, j.d.Rules)
	if err != nil {
		return abi.Op{}, err
	}
	if e := j.d.Check(&parsed); e != nil {
		return abi.Op{}, errors.New(e.Message)
	}
	return parsed.Op, nil
}
