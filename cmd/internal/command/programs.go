package command

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/fcp-host/fcp-host/host/capability/program"
	"github.com/fcp-host/fcp-host/host/files"
)

// programDir returns the folder in which programs run, or "".
func (s *settings) programDir() string {
	dir, err := s.cacheDir()
	if err == nil && dir == "" { // nothing has to survive a run
		if dir, err = os.UserCacheDir(); err == nil {
			dir = filepath.Join(dir, "fcp-host")
		}
	}
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "programs")
}

// newPrograms makes the set of programs that domains may run.
func (s *settings) newPrograms() *program.Set {
	return &program.Set{Finder: program.Finder{Paths: s.programPaths}, Dir: s.programDir(), Most: s.limits.jobs, After: s.limits.jobWait, Memory: s.limits.jobMemory}
}

// preparePrograms makes s.programs refuse executables in folders where domains write, and removes the
// folders that programs of a killed host left behind.
func (s *settings) preparePrograms(general *files.Roots) {
	all := []*files.Roots{general}
	for _, p := range s.plugins {
		if own, err := p.roots(general); err == nil && own != nil {
			all = append(all, own)
		}
	}
	s.programs.Finder.Roots = func() (dirs []string) { // each time, since a client may change its roots
		for _, r := range all {
			dirs = append(dirs, r.Dirs()...)
		}
		return dirs
	}
	if left, err := os.ReadDir(s.programs.Dir); err == nil && len(left) > 0 {
		go s.programs.Sweep() // an error is reported when a program is to run
	}
}

var programName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,31}$`)

// programsAt checks the program paths of the configuration.
func programsAt(base string, paths map[string]string) (map[string]string, error) {
	out := map[string]string{}
	for name, path := range paths {
		if !programName.MatchString(name) {
			return nil, fmt.Errorf("programs: %q: write it as ffmpeg = \"/usr/bin/ffmpeg\"", name)
		}
		out[name] = expandOne(base, path)
	}
	return out, nil
}
