package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/capability/program"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/resource"
)

// jobs are the programs that a session runs.
type jobs struct {
	programs *program.Set     // nil: programs cannot be run
	probes   *resource.Probes // shared by all sessions
	id       string           // owner of the jobs
	each     bool             // each document has its own
}

// SetPrograms lets the session run programs; it is called before the first call. All sessions share the results of
// probes.
func (s *Session) SetPrograms(programs *program.Set, probes *resource.Probes, id string) {
	s.programs, s.probes, s.id = programs, probes, id
}

// runsPrograms reports whether job actions and queries are the host's in a call: if the domain runs programs, or with
// unified tools the current document's domain or any.
func (s *Session) runsPrograms(dom, doc string) bool {
	if d := s.servedDomain(dom); d != nil {
		return d.WantsPrograms()
	}
	s.mu.Lock()
	current := s.current[dom]
	for _, e := range s.docs {
		if doc != "" && strings.EqualFold(e.doc.Name, doc) {
			current = e.doc
		}
	}
	s.mu.Unlock()
	if current != nil {
		return current.Domain().WantsPrograms()
	}
	return slices.ContainsFunc(s.Domains(), (*domain.Domain).WantsPrograms)
}

// jobsOf is the owner of the jobs that a call means: the session or, for a shared one, the named document.
func (j *jobs) jobsOf(doc string) string {
	if j.each {
		return j.id + "/" + doc
	}
	return j.id
}

// cancelJobs cancels all running jobs of the session.
func (j *jobs) cancelJobs(docs []*entry) {
	if j.programs == nil || j.programs.Jobs() == nil {
		return
	}
	if !j.each {
		j.programs.Jobs().End(j.id)
	}
	for _, e := range docs {
		j.cancelJobsOf(e.doc)
	}
}

// cancelJobsOf cancels the jobs of a shared session's document, which cannot be reached without its handle.
func (j *jobs) cancelJobsOf(d *document.Document) {
	if j.each && j.programs != nil && j.programs.Jobs() != nil {
		j.programs.Jobs().End(j.jobsOf(d.Name))
	}
}

// setFetcher sets where a new document gets the resources that its calls name.
func (s *Session) setFetcher(doc *document.Document) {
	if doc.Domain().TakesResources() {
		doc.SetFetcher(s.fetcher(doc.Domain(), doc))
	}
}

// fetcher fetches the resources that calls of a domain name; doc is nil for calls without a document.
func (s *Session) fetcher(d *domain.Domain, doc *document.Document) *resource.Fetcher {
	return &resource.Fetcher{Domain: d, Roots: s.rootsOf(d), Probes: s.probes, Document: func(name string) func(context.Context) ([]byte, error) {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, e := range s.docs {
			if e.doc != doc && e.doc.Domain() == d && (e.doc.Name == name || !s.shared && strings.EqualFold(e.doc.Name, name)) {
				return e.doc.Bytes
			}
		}
		return nil
	}}
}

// runExport runs `export`, or `save` with a format.
func (c *call) runExport(d *document.Document, format string, params []abi.KeyValue, path string, force bool) *reply.Reply {
	r, work := d.Export(c.ctx, format, params, path, force)
	if work == nil {
		return r
	}
	mime := ""
	for _, f := range d.Domain().Manifest.Exports {
		if f.Name == format {
			mime = f.MIME
		}
	}
	return c.start(d, r, work, format, mime)
}

// runAction runs a session action of the domain.
func (c *call) runAction(d *document.Document, op *grammar.Op, name string, data []byte, target document.Target) *reply.Reply {
	r, work := d.Session(c.ctx, op, name, data, target)
	if work == nil {
		return r
	}
	return c.start(d, r, work, op.Verb, "")
}

// withTarget splits force at the end and as: from an action: the op, and where it wants the file that a program may
// make.
func (w *command) withTarget(d *domain.Domain) (*grammar.Op, document.Target) {
	path, as := w.op.Param("as")
	n := len(w.op.Positionals)
	if !as || n == 0 || w.keyword(n-1) != "force" || !d.WantsPrograms() {
		return w.op, document.Target{Path: path}
	}
	op := *w.op
	op.Positionals = op.Positionals[:n-1]
	op.Raw = op.String()
	return &op, document.Target{Path: path, Force: true}
}

// start begins a job and waits for it for a while. r is the reply to the action that needs it, which is done.
func (c *call) start(d *document.Document, r *reply.Reply, work *program.Work, what, mime string) *reply.Reply {
	s := c.s
	name := work.Run.Program.Name
	fail := func(format string, args ...any) *reply.Reply {
		r.Fail(nil, format, args...)
		return r
	}
	if no := d.Domain().Missing(c.ctx, []string{abi.WantProgram + ":" + name}); no != nil {
		work.Close()
		return fail("%s is not written: %s", reply.Place(work.Title), no.Message)
	}
	if s.programs == nil {
		work.Close()
		return fail("%s is not written: no program is run here", reply.Place(work.Title))
	}
	work.For = d.Name
	job, err := s.programs.Start(s.jobsOf(d.Name), *work)
	if taken := new(program.TakenError); errors.As(err, &taken) && taken.ID > 0 {
		id := strconv.Itoa(taken.ID)
		r.Fail(actions("job "+id, "cancel "+id), "%s is not written: %s", reply.Place(work.Title), err)
		return r
	}
	if err != nil {
		return fail("%s is not written: %s", reply.Place(work.Title), err)
	}
	defer reportProgress(c.ctx, job)()
	status := job.Await(c.ctx)
	if c.ctx.Err() != nil {
		status, _ = s.programs.Jobs().Cancel(s.jobsOf(d.Name), status.ID)
	}
	switch {
	case status.State == program.Done:
		r.File = &reply.File{Path: work.Saves[0].Path, MIME: mime, Size: int(status.Bytes)}
		r.Add(reply.Created, "exported %s (%s, %s)", work.Title, what, reply.Size(status.Bytes))
	case status.Final():
		return fail("%s is not written: %s", reply.Place(work.Title), status.Err)
	default:
		r.Add(reply.Changed, "%s\nthe action job %d waits for it, cancel %d ends it, the query jobs lists all; %s is written once it is complete",
			jobLine(status), status.ID, status.ID, work.Title)
	}
	d.Summary().Fill(r)
	return r
}

// statuses lists the jobs that a call means: see jobsOf.
func (j *jobs) statuses(doc string) []program.Status {
	if j.programs == nil || j.programs.Jobs() == nil {
		return nil
	}
	return j.programs.Jobs().List(j.jobsOf(doc))
}

// openJobLines says what happens to the jobs of a document that is closed.
func (j *jobs) openJobLines(d *document.Document) (lines []string) {
	for _, status := range j.statuses(d.Name) {
		switch {
		case status.For != d.Name || status.Final():
		case j.each: // without the handle nobody can reach it
			lines = append(lines, fmt.Sprintf("%s; it is cancelled", jobLine(status)))
		default:
			lines = append(lines, fmt.Sprintf("%s; it goes on, and cancel %d ends it", jobLine(status), status.ID))
		}
	}
	return lines
}

// jobLine describes a job in one line.
func jobLine(s program.Status) string {
	var b strings.Builder
	fmt.Fprintf(&b, "job %d: %s: %s", s.ID, s.Title, s.State)
	if part, ok := s.Part(); ok && !s.Final() {
		fmt.Fprintf(&b, ", %d %%", int(100*part))
	}
	end := s.Ended
	if end.IsZero() {
		end = time.Now()
	}
	if !s.Began.IsZero() {
		fmt.Fprintf(&b, ", %s", end.Sub(s.Began).Round(time.Second))
	}
	if s.State == program.Done {
		fmt.Fprintf(&b, ", %s", reply.Size(s.Bytes))
	}
	if s.Err != nil {
		fmt.Fprintf(&b, ": %s", reply.Line(s.Err.Error()))
	}
	return b.String()
}

// answerJobs answers the query `jobs`.
func (j *jobs) answerJobs(doc string) *reply.Reply {
	var b strings.Builder
	for _, status := range j.statuses(doc) {
		b.WriteString(jobLine(status) + "\n")
	}
	return &reply.Reply{Text: cmp.Or(b.String(), "no jobs")}
}

// jobNumber is the number of the job that the action names.
func (c *call) jobNumber() (int, error) {
	if err := c.checkWords(1); err != nil {
		return 0, err
	}
	id, err := strconv.Atoi(c.text(0))
	if err != nil {
		return 0, reply.Refuse(queries("jobs"), "%s needs the number of a job", c.op.Verb)
	}
	if c.s.programs == nil || c.s.programs.Jobs() == nil {
		return 0, reply.Refuse(nil, "there is no job %d; this session has none", id)
	}
	return id, nil
}

// job answers the action `job`, which waits for a job.
func (c *call) job() (*reply.Reply, error) {
	id, err := c.jobNumber()
	if err != nil {
		return nil, err
	}
	job, err := c.s.programs.Jobs().Get(c.s.jobsOf(c.doc), id)
	if err != nil {
		return nil, reply.Refuse(nil, "%s", err)
	}
	defer reportProgress(c.ctx, job)()
	status := job.Await(c.ctx)
	r := &reply.Reply{}
	if status.State == program.Failed {
		text := jobLine(status)
		if status.Stderr != "" {
			text += "\n" + reply.Mark("program", tail(status.Stderr))
		}
		r.Fail(nil, "%s", text)
		return r, nil
	}
	r.Add(reply.Changed, "%s", jobLine(status))
	return r, nil
}

// tail is the last 12 lines of a program's output.
func tail(text string) string {
	const most = 12
	lines := strings.Split(strings.TrimSpace(text), "\n")
	lines = lines[max(0, len(lines)-most):]
	for i, l := range lines {
		lines[i] = reply.Line(l)
	}
	return strings.Join(lines, "\n")
}

// cancel answers the action `cancel`, which ends a job.
func (c *call) cancel() (*reply.Reply, error) {
	id, err := c.jobNumber()
	if err != nil {
		return nil, err
	}
	jobs := c.s.programs.Jobs()
	before, err := jobs.Get(c.s.jobsOf(c.doc), id)
	if err != nil {
		return nil, reply.Refuse(nil, "%s", err)
	}
	if before.Status().Final() {
		return nil, reply.Refuse(nil, "%s: it has already ended", jobLine(before.Status()))
	}
	status, err := jobs.Cancel(c.s.jobsOf(c.doc), id)
	if err != nil {
		return nil, reply.Refuse(nil, "%s", err)
	}
	r := &reply.Reply{}
	r.Add(reply.Changed, "%s", jobLine(status))
	return r, nil
}
