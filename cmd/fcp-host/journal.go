package main

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"

	"github.com/fcp-host/fcp-host/host/journal"
	"github.com/fcp-host/fcp-host/host/session"
)

// keep gives the session its journal. A folder that the user named has to be
// usable; without the default one the session goes on, and says so.
func (s *settings) keep(sess *session.Session, io stdio, log *slog.Logger) bool {
	if s.noJournal {
		return true
	}
	path := s.journalDir
	if path == "" {
		var err error
		if path, err = defaultJournalDir(); err != nil {
			log.Warn("no journal: what is not saved is lost if fcp-host dies", "error", err)
			sess.Keep(nil, err)
			return true
		}
	}
	dir, err := journal.Open(path, s.limits.journal)
	switch {
	case err == nil:
		sess.Keep(dir, nil)
	case s.journalDir != "":
		fmt.Fprintf(io.err, "fcp-host: %v; name another with --journal-dir, or none with --no-journal\n", err)
		return false
	default:
		log.Warn("no journal: what is not saved is lost if fcp-host dies", "error", err)
		sess.Keep(nil, err)
	}
	return true
}

// defaultJournalDir is in the user's state folder: it outlives a cache, and
// belongs to this machine alone.
func defaultJournalDir() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "fcp-host", "journal"), nil
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		// The local, not the roaming one: %LocalAppData%, ~/Library/Application Support.
		if dir := os.Getenv("LocalAppData"); dir != "" {
			return filepath.Join(dir, "fcp-host", "journal"), nil
		}
		dir, err := os.UserConfigDir()
		return filepath.Join(dir, "fcp-host", "journal"), err
	}
	home, err := os.UserHomeDir()
	return filepath.Join(home, ".local", "state", "fcp-host", "journal"), err
}
