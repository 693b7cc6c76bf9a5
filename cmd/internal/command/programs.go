package command

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/fcp-host/fcp-host/host/capability/program"
	"github.com/fcp-host/fcp-host/host/files"
)

// programDir is the folder that programs run in, "" for none.
func (s *settings) programDir() string {
	dir, err := s.cacheDir()
	if err == nil && dir == "" { // nothing is kept there from one run to the next
		if dir, err = os.UserCacheDir(); err == nil {
			dir = filepath.Join(dir, "fcp-host")
		}
	}
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "programs")
}

// newPrograms are the programs of this host.
func (s *settings) newPrograms() *program.Set {
	return &program.Set{Finder: program.Finder{Paths: s.programPaths}, Dir: s.programDir(), Most: s.limits.jobs, After: s.limits.jobWait, Memory: s.limits.jobMemory}
}

// house keeps programs out of the folders where domains write, and removes what those of a host that died have left.
func (s *settings) house(general *files.Roots) {
	roots := general.Dirs()
	for _, p := range s.plugins {
		if own, err := p.roots(general); err == nil && own != nil {
			roots = append(roots, own.Dirs()...)
		}
	}
	s.programs.Finder.Roots = roots
	if left, err := os.ReadDir(s.programs.Dir); err == nil && len(left) > 0 {
		go s.programs.Sweep() // that it fails is told when a program is to run
	}
}

var programName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,31}$`)

// programsAt checks the paths of programs in the configuration.
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
