package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/filelock"
	"github.com/fcp-host/fcp-host/host/journal"
	"github.com/fcp-host/fcp-host/host/reply"
	"github.com/fcp-host/fcp-host/host/session"
)

// A named session of exec keeps its documents between runs: their journals stay in the journal folder, and belong to an
// owner made of the session's name. A file of that name in the folder sessions beside them says which of the documents
// was current, and its lock makes runs with one name wait for each other.

// namedSession is the file of a session that this process has locked.
type namedSession struct {
	name  string
	f     *os.File
	docs  []session.Kept  // of the last run
	shelf *document.Shelf // nil before restore
}

// sessionName matches the names of sessions, which are file names on every system.
var sessionName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// ownerOf is the owner of a session's journals. No principal has a blank in its name.
func ownerOf(name string) string { return "exec session " + strings.ToLower(name) }

// sessionFile is the path of a session's file in a journal folder. Names differ by more than case, as on any file system.
func sessionFile(dir, name string) string {
	return filepath.Join(dir, "sessions", strings.ToLower(name))
}

// busyWait is for how long a run waits for another one with the same session.
const busyWait = time.Minute

// openSession opens a session's file, which it creates if needed, and waits until no other process has it.
func openSession(ctx context.Context, dir, name string) (*namedSession, error) {
	path := sessionFile(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(ctx, busyWait)
	defer stop()
	for {
		f, locked, err := tryLock(path, os.O_RDWR|os.O_CREATE)
		if err != nil {
			return nil, err
		}
		if locked {
			n := &namedSession{name: name, f: f}
			if err := json.NewDecoder(f).Decode(&n.docs); err != nil {
				n.docs = nil // new, or cut off when its process was killed: all its journals are found anyway
			}
			return n, nil
		}
		who := ""
		if pid := filelock.Holder(f); pid != 0 {
			who = fmt.Sprintf(" (process %d)", pid)
		}
		f.Close()
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("another exec%s is using the session %s: wait until it has ended, or use another name", who, name)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// tryLock opens a file and tries to lock it. It is not locked either if another process has just removed it.
func tryLock(path string, flag int) (f *os.File, locked bool, err error) {
	f, err = os.OpenFile(path, flag, 0o600)
	if err != nil {
		return nil, false, err
	}
	locked, err = filelock.Lock(f, true)
	if err != nil {
		f.Close()
		return nil, false, err
	}
	if locked {
		is, err := f.Stat()
		at, errAt := os.Lstat(path)
		locked = err == nil && errAt == nil && os.SameFile(is, at)
	}
	return f, locked, nil
}

// lockSession locks the session that the flags name; nil if they name none.
func (s *settings) lockSession(ctx context.Context, io stdio) (n *namedSession, ok bool) {
	if s.session == "" {
		return nil, true
	}
	dir, err := s.journalPath()
	if err == nil {
		n, err = openSession(ctx, dir, s.session)
	}
	if err != nil {
		io.complain("%v", err)
	}
	return n, err == nil
}

func (n *namedSession) unlock() {
	if n != nil {
		n.f.Close()
	}
}

// restore opens the documents of the last run in sess, with k's journals.
func (n *namedSession) restore(ctx context.Context, sess *session.Session, k keeper, io stdio) bool {
	if n == nil {
		return true
	}
	if k.shelf == nil {
		io.complain("--session keeps documents in the journal, which cannot be used: %v", k.unkept)
		return false
	}
	n.shelf = k.shelf
	sess.Owner = ownerOf(n.name)
	warnings, err := sess.Restore(ctx, n.docs)
	if err != nil {
		io.complain("%v", err)
		return false
	}
	for _, w := range warnings {
		fmt.Fprintln(io.err, "? "+reply.Line(w))
	}
	return true
}

// leave leaves the documents of sess to the next run, and unlocks the session. A session without documents ends.
func (n *namedSession) leave(sess *session.Session, io stdio) {
	if n == nil {
		return
	}
	defer n.f.Close()
	if n.shelf == nil {
		return // nothing was opened
	}
	data, err := json.Marshal(sess.Kept())
	if err == nil {
		err = n.f.Truncate(0)
	}
	if err == nil {
		_, err = n.f.WriteAt(append(data, '\n'), 0)
	}
	if err != nil {
		io.complain("which document of %s is the current one is lost: %v", n.name, err)
	}
	sess.Leave()
	own := journal.ID(ownerOf(n.name), "")
	left, err := n.shelf.Store().Left()
	if err == nil && !slices.ContainsFunc(left, func(l journal.Left) bool { return strings.HasPrefix(l.ID, own) }) {
		_ = os.Remove(n.f.Name()) // an empty session that stays is harmless
	}
}

// journalPath is the folder of journals.
func (s *settings) journalPath() (string, error) {
	if s.journalDir != "" {
		return s.journalDir, nil
	}
	return defaultJournalDir()
}

// sessionState describes a session in the list of sessions.
type sessionState struct {
	Name      string         `json:"name"`
	InUse     bool           `json:"in_use,omitempty"`
	Documents []sessionEntry `json:"documents,omitempty"`
}

type sessionEntry struct {
	Name    string `json:"name,omitempty"`
	Domain  string `json:"domain,omitempty"`
	Path    string `json:"path,omitempty"`
	Dirty   bool   `json:"dirty"`
	Ops     int    `json:"ops"`
	Time    string `json:"time"`
	Digest  string `json:"digest,omitempty"`
	Expires bool   `json:"expires,omitempty"` // the next start removes it unless it is used
	Problem string `json:"problem,omitempty"`
}

// listSessions answers exec --sessions.
func (s *settings) listSessions(ctx context.Context, io stdio) int {
	list, err := s.namedSessions(ctx)
	if err != nil {
		io.complain("%v", err)
		return exitHost
	}
	if s.json {
		for _, state := range list {
			printJSON(io.out, state)
		}
		return exitOK
	}
	if len(list) == 0 {
		fmt.Fprintln(io.out, "no sessions; exec --session NAME starts one")
	}
	for _, state := range list {
		fmt.Fprint(io.out, state.Name)
		if state.InUse {
			fmt.Fprint(io.out, ", in use now")
		}
		fmt.Fprintln(io.out)
		for _, d := range state.Documents {
			fmt.Fprintln(io.out, "  "+d.line())
		}
	}
	return exitOK
}

func (d sessionEntry) line() string {
	if d.Problem != "" {
		return "a document that cannot be read: " + reply.Line(d.Problem)
	}
	line := fmt.Sprintf("%s (%s)", grammar.Quote(d.Name), d.Domain)
	if d.Path != "" {
		line += " " + reply.Line(d.Path)
	}
	if d.Dirty {
		line += ", unsaved changes"
	}
	line += fmt.Sprintf(", %s to undo, %s [%s]", reply.Count(d.Ops, "op"), d.Time, d.Digest)
	if d.Expires {
		line += ", dropped at the next start unless the session is used"
	}
	return line
}

// namedSessions lists the sessions with their documents, and drops sessions whose documents have all expired.
func (s *settings) namedSessions(ctx context.Context) (list []sessionState, err error) {
	dir, err := s.journalPath()
	if err != nil {
		return nil, err
	}
	files, err := os.ReadDir(filepath.Join(dir, "sessions"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	store, err := journal.Open(dir, s.limits.journal)
	if err != nil {
		return nil, err
	}
	shelf := document.NewShelf(store)
	left, err := shelf.Look(ctx)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		state := sessionState{Name: file.Name()}
		own := journal.ID(ownerOf(file.Name()), "")
		for _, l := range slices.Backward(left) { // oldest first
			if !strings.HasPrefix(l.ID, own) {
				continue
			}
			e := sessionEntry{Name: l.Name, Domain: l.Domain, Path: l.Path, Dirty: l.Dirty, Ops: l.Ops, Time: l.When(), Digest: l.Digest, Expires: shelf.Expires(l)}
			if l.Unreadable != nil {
				e.Problem = l.Unreadable.Error()
			}
			if e.Expires {
				shelf.MarkTold(l)
			}
			state.Documents = append(state.Documents, e)
		}
		f, locked, err := tryLock(filepath.Join(dir, "sessions", file.Name()), os.O_RDWR)
		if err != nil {
			continue // it has just ended
		}
		if locked && len(state.Documents) == 0 {
			_ = os.Remove(f.Name())
			f.Close()
			continue
		}
		f.Close()
		state.InUse = !locked
		list = append(list, state)
	}
	return list, nil
}
