package guest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/sandbox"
	"github.com/fcp-host/fcp-host/printable"
)

// Options say how hard to look.
type Options struct {
	Ops      int    // operations to generate beside the examples; 0 means 150
	Seed     uint64 // of the generated operations
	CacheDir string // of compiled modules; "" for none
	Limits   sandbox.Limits
	Command  []string // starts a worker; nil for this binary

	instance uint64 // seed of every instance: equal seeds are part of what makes answers equal
	until    string // the promise that ends the look when it is found broken, "" for none
}

// judge is one plugin being looked at.
type judge struct {
	ctx    context.Context
	o      Options
	box    *sandbox.Plugin
	m      *abi.Manifest
	d      *domain.Domain
	rand   *rand.Rand
	report *Report
	faults int // calls after which an instance could not be used any more
}

// maxFaults ends the look at a plugin that does nothing but fail.
const maxFaults = 12

// errFaults ends a walk.
var errFaults = errors.New("it failed too often to go on")

// Judge runs every check on a module. file names it in the report. The error
// is the context's; whatever the module does wrong is in the report.
func Judge(ctx context.Context, file string, wasm []byte, o Options) (*Report, error) {
	if o.Ops <= 0 {
		o.Ops = 150
	}
	sum := sha256.Sum256(wasm)
	j := &judge{ctx: ctx, o: o, rand: rand.New(rand.NewPCG(o.Seed, 0xfc9)),
		report: &Report{File: file, SHA256: hex.EncodeToString(sum[:]), Size: len(wasm), Seed: o.Seed, Checks: promises()}}
	var err error
	j.box, err = sandbox.NewPlugin(sandbox.Config{Name: file, Wasm: wasm, CacheDir: o.CacheDir, Limits: o.Limits,
		Command: o.Command, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		j.expect("manifest", false, "%v", err)
		return j.report, nil
	}
	defer j.box.Close()
	if j.manifest() {
		j.rest()
	}
	return j.report, ctx.Err()
}

// rest runs everything that needs a manifest.
func (j *judge) rest() {
	pool := j.registry()
	w, err := j.walk(pool)
	if err != nil {
		j.endure("the walk through the operations", err)
	}
	var steps []func()
	if w != nil {
		steps = []func(){
			func() { j.histories(w) },
			func() { j.twins(w) },
			func() { j.questions(w) },
			func() {
				if doc, err := j.replayed(w.events(0)); err == nil {
					j.listed(doc)
					doc.close()
				}
			},
			func() { j.tries(w) },
			func() { j.batches(w) },
			func() { j.runs(w) },
			func() { j.saves(w) },
		}
	}
	steps = append(steps, j.early, func() { j.files(w) }, func() { j.crowd(pool) }, func() { j.inFolders(pool) }, func() { j.tools(w) }, j.asks)
	if w != nil {
		steps = append(steps, func() { j.kill(w) })
	}
	for _, step := range steps {
		if j.o.until != "" && !j.check(j.o.until).OK() {
			return
		}
		step()
	}
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
	if len(c.Problems) < maxProblems {
		c.Problems = append(c.Problems, printable.Text(fmt.Sprintf(format, args...)))
	}
	return false
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
	j.constant()
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
		j.expect("manifest", names[q], "there is no query %s", q)
	}
	verbs := map[string]bool{}
	for _, v := range m.Verbs {
		verbs[v.Name] = true
		first, _, _ := strings.Cut(v.Syntax, " ")
		j.expect("manifest", first == v.Name, "the verb %s has the syntax %q, which does not begin with it", v.Name, v.Syntax)
	}
	for _, v := range []string{"add", "remove"} {
		j.expect("manifest", verbs[v], "there is no verb %s, which every domain has", v)
	}
	return true
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
