package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

var versionTag = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

// tag makes a commit on top of the current one that contains the built domains, and tags it. It changes no branch and
// no file of the working tree. The go command builds from committed files only, so go install gets a program with
// domains only from such a commit.
func tag(dir, name, domains string) error {
	if !versionTag.MatchString(name) {
		return fmt.Errorf("%q is no version: write it as v1.2.3", name)
	}
	git := func(env []string, args ...string) (string, error) {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(stderr.String()))
		}
		return strings.TrimSpace(string(out)), nil
	}
	changed, err := git(nil, "status", "--porcelain", "--untracked-files=all")
	if err != nil {
		return err
	}
	if changed != "" {
		return errors.New("the working tree has changes that are not committed:\n" + changed)
	}
	if tracked, err := git(nil, "ls-files", domains); err != nil || tracked != "" {
		return errors.Join(err, errors.New("this commit holds built domains already: go to the one below it"))
	}
	if _, err := git(nil, "rev-parse", "--verify", "--quiet", "refs/tags/"+name); err == nil {
		return fmt.Errorf("there is a tag %s already", name)
	}
	tmp, err := os.MkdirTemp("", "release-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	env := []string{"GIT_INDEX_FILE=" + filepath.Join(tmp, "index")}
	if _, err := git(env, "read-tree", "HEAD"); err != nil {
		return err
	}
	blob, err := git(nil, "hash-object", "-w", domains)
	if err != nil {
		return err
	}
	if _, err := git(env, "update-index", "--add", "--cacheinfo", "100644,"+blob+","+domains); err != nil {
		return err
	}
	tree, err := git(env, "write-tree")
	if err != nil {
		return err
	}
	// It has the time of its parent, so that builds from both contain the same dates.
	date, err := git(nil, "log", "-1", "--format=%ct +0000")
	if err != nil {
		return err
	}
	env = []string{"GIT_AUTHOR_DATE=" + date, "GIT_COMMITTER_DATE=" + date}
	commit, err := git(env, "commit-tree", tree, "-p", "HEAD", "-m", "Add the built domains of "+name)
	if err != nil {
		return err
	}
	if _, err := git(env, "tag", "-a", "-m", "fcp-host "+name, name, commit); err != nil {
		return err
	}
	fmt.Printf("tag %s is commit %s\n", name, commit)
	return nil
}
