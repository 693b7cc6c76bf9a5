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

// keeper journals the documents of sessions in one store.
type keeper struct {
	shelf  *document.Shelf
	unkept error  // why there is no folder, though there should be one
	end    func() // nil for nothing to do
}

// close closes the store of the journals.
func (k keeper) close() {
	if k.end != nil {
		k.end()
	}
}

func (k keeper) keep(sess *session.Session) { sess.Keep(k.shelf, k.unkept) }

// keeper opens the store of journals. A folder that the user named must be usable; if the default
// one is not, sessions work without a journal and say so.
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
		io.complain("%v; name another folder with --journal-dir, or use --no-journal", err)
		return keeper{}, false
	}
	if err != nil {
		log.Warn("no journal: unsaved work is lost if fcp-host dies", "error", err)
		return keeper{unkept: err}, true
	}
	return keeper{shelf: document.NewShelf(dir)}, true
}

// defaultJournalDir returns the journal folder in the user's state folder.
func defaultJournalDir() (string, error) {
	dir, err := stateDir()
	return filepath.Join(dir, "journal"), err
}

// stateDir returns fcp-host's folder for data that must outlive a cache and belongs to this machine
// only.
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
