package command

import (
	"log/slog"
	"os"
	"path/filepath"
	"runtime"

	"github.com/fcp-host/fcp-host/host/document"
	"github.com/fcp-host/fcp-host/host/journal"
	"github.com/fcp-host/fcp-host/host/session"
)

// keeper makes the documents of sessions durable in one journal folder.
type keeper struct {
	shelf  *document.Shelf
	unkept error  // why there is no folder, though there should be one
	end    func() // nil for nothing to do
}

// close lets go of what the journals are kept in.
func (k keeper) close() {
	if k.end != nil {
		k.end()
	}
}

func (k keeper) keep(sess *session.Session) { sess.Keep(k.shelf, k.unkept) }

// keeper opens the journal's folder. One that the user named has to be usable;
// without the default one the sessions go on, and say so.
func (s *settings) keeper(io stdio, log *slog.Logger) (k keeper, ok bool) {
	if s.noJournal {
		return keeper{}, true
	}
	if s.store.url != "" {
		return s.sharedKeeper(io)
	}
	path, err := s.journalDir, error(nil)
	if path == "" {
		path, err = defaultJournalDir()
	}
	var dir *journal.Dir
	if err == nil {
		dir, err = journal.Open(path, s.limits.journal)
	}
	if err != nil && s.journalDir != "" {
		io.complain("%v; name another with --journal-dir, or none with --no-journal", err)
		return keeper{}, false
	}
	if err != nil {
		log.Warn("no journal: what is not saved is lost if fcp-host dies", "error", err)
		return keeper{unkept: err}, true
	}
	return keeper{shelf: document.NewShelf(dir)}, true
}

// defaultJournalDir is in the user's state folder.
func defaultJournalDir() (string, error) {
	dir, err := stateDir()
	return filepath.Join(dir, "journal"), err
}

// stateDir is fcp-host's folder for what outlives a cache and belongs to this machine alone.
func stateDir() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "fcp-host"), nil
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		// The local, not the roaming one: %LocalAppData%, ~/Library/Application Support.
		if dir := os.Getenv("LocalAppData"); dir != "" {
			return filepath.Join(dir, "fcp-host"), nil
		}
		dir, err := os.UserConfigDir()
		return filepath.Join(dir, "fcp-host"), err
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "state", "fcp-host"), err
}
