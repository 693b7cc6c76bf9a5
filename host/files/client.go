package files

import (
	"fmt"
	"time"
)

// answerTime is how long calls that need files wait for a client that was asked for its roots. Its answer counts
// whenever it comes.
const answerTime = 30 * time.Second

// Question is an open question to a client for its roots. Until it is answered, no folder is allowed.
type Question struct {
	roots    *shared
	answered chan struct{}
	until    time.Time // calls wait for the answer until then
}

// Given reports whether the user gave roots, so that no client's replace them.
func (r *Roots) Given() bool { return r.given }

// AskClient opens a question to the client for its roots, which replace the working directory. From now on, calls that
// need files wait for the answer. It returns nil if Given.
func (r *Roots) AskClient() *Question {
	if r.given {
		return nil
	}
	r.changing.Lock()
	defer r.changing.Unlock()
	q := &Question{roots: r.shared, answered: make(chan struct{}), until: time.Now().Add(answerTime)}
	before := r.asked.Swap(q)
	r.area.Store(&area{cwd: r.area.Load().cwd, client: true, missing: []string{"the client has not answered which folders are its roots"}})
	if before != nil {
		close(before.answered) // calls wait for q instead
	}
	return q
}

// Answer answers the question with the file URIs of the client's roots.
func (q *Question) Answer(uris []string) {
	var dirs, missing []string
	for _, uri := range uris {
		dir, why := clientRoot(uri)
		if why != "" {
			missing = append(missing, fmt.Sprintf("the client's root %s grants nothing: %s", cut(uri), why))
			continue
		}
		dirs = append(dirs, dir)
	}
	if len(uris) == 0 {
		missing = append(missing, "the client has no roots: it has no folder open")
	}
	a, _ := areaOf(dirs)
	a.client, a.missing = true, append(missing, a.missing...)
	q.become(a)
}

// Fail answers the question if the client cannot: no folder is allowed, for this reason.
func (q *Question) Fail(why string) {
	q.become(&area{cwd: q.roots.area.Load().cwd, client: true, missing: []string{why}})
}

// Withdraw answers the question if the client has no roots after all: the working directory is allowed.
func (q *Question) Withdraw() { q.become(q.roots.usual) }

// become sets the area unless there is a newer question.
func (q *Question) become(a *area) {
	q.roots.changing.Lock()
	defer q.roots.changing.Unlock()
	if q.roots.asked.Load() == q {
		q.roots.area.Store(a)
		q.roots.asked.Store(nil)
		close(q.answered)
	}
}

// clientRoot returns the folder of a client's root, or why it grants nothing.
func clientRoot(uri string) (dir, why string) {
	if !IsURI(uri) {
		return "", "it is not a file URI"
	}
	paths, _, err := readings(uri)
	if err != nil {
		return "", err.Error()
	}
	for _, path := range paths { // decoded, else as it is written, since some clients do not encode
		if dir, why = usable(path); why == "" {
			break
		}
	}
	if why != "" {
		return "", "there is no folder " + cut(paths[0])
	}
	if isTop(dir) {
		return "", "it is the root of the file system; start fcp-host with --root " + dir + " to allow that"
	}
	return dir, ""
}
