package program

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fcp-host/fcp-host/host/files"
)

// Work is what a job does: it runs a program and saves its outputs.
type Work struct {
	Title string // for lists: for example the name of the file
	For   string // the document for which it was started
	Run   Run    // its Progress is called as well
	Saves []Save
	Roots *files.Roots // where files may be saved

	Duration time.Duration                        // duration of the output; 0 if unknown
	Expect   *Streams                             // what ffmpeg's first output must consist of; nil if that is unknown
	Wrote    func(path string, stamp files.Stamp) // called with each file that was written, before the job ends; may be nil
}

// Save saves an output to a path.
type Save struct {
	Output int    // index of the output
	Path   string // from Roots.Resolve
	Over   files.Over
}

// State is the state of a job.
type State string

// States of a job, in order; the last three are final.
const (
	Queued    State = "queued"
	Running   State = "running"
	Saving    State = "saving"
	Done      State = "done"
	Failed    State = "failed"
	Cancelled State = "cancelled"
)

// Status describes a job. It is a copy.
type Status struct {
	ID       int // counts from 1 in each session
	Title    string
	For      string
	State    State
	Progress map[string]string // what the program last reported
	Began    time.Time         // zero while it is queued
	Ended    time.Time         // zero until it ends
	Duration time.Duration     // duration of the output; 0 if unknown
	Saved    []string          // the files that were written, even if a later one failed
	Bytes    int64             // their size
	Err      error             // why it failed or was cancelled
	Stderr   string            // the end of the program's stderr
}

// Part returns the fraction that is done, from 0 to 1; ok is false if it is unknown.
func (s Status) Part() (part float64, ok bool) {
	us, err := strconv.ParseInt(s.Progress["out_time_us"], 10, 64)
	if s.State == Done || s.State == Saving {
		return 1, true
	}
	if err != nil || s.Duration <= 0 {
		return 0, false
	}
	return min(max(float64(us)/float64(s.Duration.Microseconds()), 0), 1), true
}

// Final reports whether the job has ended.
func (s Status) Final() bool { return s.State == Done || s.State == Failed || s.State == Cancelled }

const (
	maxQueued = 32 // waiting jobs of all sessions
	maxOpen   = 8  // unfinished jobs of a session
	keptJobs  = 20 // ended jobs of a session that are listed
)

// Jobs runs work for sessions, a few jobs at once. A session sees only its own.
type Jobs struct {
	runner *Runner
	ctx    context.Context
	cancel context.CancelFunc
	turns  chan struct{} // one token for each running job
	after  time.Duration
	all    sync.WaitGroup

	mu       sync.Mutex // guards the fields below and the jobs' statuses
	queued   int
	sessions map[string]*sessionJobs
}

type sessionJobs struct {
	last int
	jobs []*Job
}

// TakenError means that another job already writes the file.
type TakenError struct {
	Title string
	ID    int // the job that writes it; 0 if it is another session's
}

func (e *TakenError) Error() string {
	if e.ID == 0 {
		return "it is being made by a job of another client"
	}
	return fmt.Sprintf("it is being made by job %d", e.ID)
}

// NewJobs returns Jobs that runs at most that many jobs at once (0 means 2). after is how long Job.Await waits (0 means
// 20 s).
func NewJobs(r *Runner, most int, after time.Duration) *Jobs {
	if most <= 0 {
		most = 2
	}
	if after <= 0 {
		after = 20 * time.Second
	}
	ctx, cancel := context.WithCancel(context.Background())
	return &Jobs{runner: r, ctx: ctx, cancel: cancel, turns: make(chan struct{}, most), after: after, sessions: map[string]*sessionJobs{}}
}

// Start starts or queues work. It first checks the targets: if one must not be replaced, nothing runs. It takes over
// the files of the work's inputs, even on error.
func (j *Jobs) Start(session string, w Work) (*Job, error) {
	job, ctx, err := j.enter(session, w)
	if err != nil {
		w.Close()
		return nil, err
	}
	go func() {
		defer j.all.Done()
		job.do(ctx, w)
	}()
	return job, nil
}

func (j *Jobs) enter(session string, w Work) (*Job, context.Context, error) {
	for _, s := range w.Saves {
		if s.Output < 0 || s.Output >= len(w.Run.Outputs) {
			return nil, nil, fmt.Errorf("%s cannot be run: it has no output %d to save", w.Run.Program.Name, s.Output)
		}
		if err := w.Roots.Check(s.Path, s.Over); err != nil {
			return nil, nil, err
		}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	own := j.sessions[session]
	if own == nil {
		own = &sessionJobs{}
	}
	if err := j.checkTargets(session, w.Saves); err != nil {
		return nil, nil, err
	}
	open, ended := 0, 0
	for _, other := range own.jobs {
		if other.status.Final() {
			ended++
		} else {
			open++
		}
	}
	switch {
	case j.ctx.Err() != nil:
		return nil, nil, errors.New("the host is stopping")
	case open >= maxOpen:
		return nil, nil, fmt.Errorf("%d jobs of this session are not finished yet; wait for one or cancel one", open)
	case j.queued >= maxQueued:
		return nil, nil, fmt.Errorf("%d jobs are waiting already; try again later", j.queued)
	}
	if ended >= keptJobs {
		for i, other := range own.jobs {
			if other.status.Final() {
				own.jobs = append(own.jobs[:i:i], own.jobs[i+1:]...)
				break
			}
		}
	}
	own.last++
	ctx, cancel := context.WithCancel(j.ctx)
	job := &Job{jobs: j, cancel: cancel, after: j.after, done: make(chan struct{}), saves: w.Saves, status: Status{ID: own.last, Title: w.Title, For: w.For, State: Queued, Duration: w.Duration}}
	own.jobs = append(own.jobs, job)
	j.sessions[session] = own
	j.queued++
	j.all.Add(1)
	return job, ctx, nil
}

// checkTargets returns an error if an unfinished job writes one of these files. The caller holds mu.
func (j *Jobs) checkTargets(session string, saves []Save) error {
	for whose, own := range j.sessions {
		for _, job := range own.jobs {
			for _, s := range saves {
				if job.status.Final() || !slices.ContainsFunc(job.saves, func(o Save) bool { return o.Path == s.Path }) {
					continue
				}
				e := &TakenError{Title: job.status.Title}
				if whose == session {
					e.ID = job.status.ID
				}
				return e
			}
		}
	}
	return nil
}

// Close closes the inputs of work that was not started. It may have none.
func (w *Work) Close() {
	if w == nil {
		return
	}
	for _, in := range w.Run.Inputs {
		in.File.Close()
	}
}

// List returns the statuses of a session's jobs, oldest first: all unfinished ones, and the latest ended ones.
func (j *Jobs) List(session string) (list []Status) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if own := j.sessions[session]; own != nil {
		for _, job := range own.jobs {
			list = append(list, job.status.clone())
		}
	}
	return list
}

// Get returns the session's job with that number.
func (j *Jobs) Get(session string, id int) (*Job, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	var there []string
	if own := j.sessions[session]; own != nil {
		for _, job := range own.jobs {
			if job.status.ID == id {
				return job, nil
			}
			there = append(there, fmt.Sprint(job.status.ID))
		}
	}
	if len(there) == 0 {
		return nil, fmt.Errorf("there is no job %d; this session has none", id)
	}
	return nil, fmt.Errorf("there is no job %d; there are %s", id, strings.Join(there, ", "))
}

// Cancel cancels the session's job with that number and waits for its end.
func (j *Jobs) Cancel(session string, id int) (Status, error) {
	job, err := j.Get(session, id)
	if err != nil {
		return Status{}, err
	}
	job.cancel()
	<-job.done
	return job.Status(), nil
}

// End cancels the jobs of a session that has ended, and forgets them.
func (j *Jobs) End(session string) {
	j.mu.Lock()
	own := j.sessions[session]
	delete(j.sessions, session)
	j.mu.Unlock()
	if own == nil {
		return
	}
	for _, job := range own.jobs {
		job.cancel()
	}
	for _, job := range own.jobs {
		<-job.done
	}
}

// Close cancels all jobs and waits for their ends. No job starts afterwards.
func (j *Jobs) Close() {
	j.mu.Lock()
	j.cancel()
	j.mu.Unlock()
	j.all.Wait()
}
