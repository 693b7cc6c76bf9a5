// Package evals measures what edits of files cost a language model: it plays cards, each a task in a person's words, with the tools of a
// server or with plain access to files, counts what the model reads and writes, and has the result judged.
package evals

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"github.com/fcp-host/fcp-host/evals/judge"
)

// Card is a task with its judge.
type Card struct {
	Name   string // DOMAIN/NAME, after its file
	Domain string // after its folder
	Wish   string // the task in a person's words
	Files  map[string][]byte
	Judge  judge.Judge
}

// ReadCards reads cards: TOML files, and all in a folder and the folders in it. They are sorted by path.
func ReadCards(paths ...string) (cards []Card, err error) {
	for _, path := range paths {
		var found []string
		err := filepath.WalkDir(path, func(p string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() && (p == path || filepath.Ext(p) == ".toml") {
				found = append(found, p)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s contains no cards", path)
		}
		for _, p := range found {
			c, err := ReadCard(p)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", p, err)
			}
			cards = append(cards, c)
		}
	}
	return cards, nil
}

// ReadCard reads a card and its files.
func ReadCard(path string) (Card, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return Card{}, err
	}
	var file struct {
		Wish  string            `toml:"wish"`
		Files map[string]string `toml:"files"` // their sources, relative to the card
		judge.Judge
	}
	meta, err := toml.DecodeFile(path, &file)
	if err != nil {
		return Card{}, err
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return Card{}, fmt.Errorf("unknown setting %s", unknown[0])
	}
	folder := filepath.Dir(path)
	domain := filepath.Base(folder)
	c := Card{domain + "/" + strings.TrimSuffix(filepath.Base(path), ".toml"), domain, strings.TrimSpace(file.Wish), map[string][]byte{}, file.Judge}
	if c.Wish == "" {
		return Card{}, errors.New("it has no wish")
	}
	for name, source := range file.Files {
		if !filepath.IsLocal(name) {
			return Card{}, fmt.Errorf("the file %q would be outside of the folder", name)
		}
		found, err := readFiles(filepath.Join(folder, filepath.FromSlash(source)))
		if err != nil {
			return Card{}, err
		}
		for within, data := range found {
			c.Files[filepath.ToSlash(filepath.Join(name, within))] = data
		}
	}
	return c, c.Judge.Check(c.Files)
}

// maxFile is the size of the largest file that is judged, in bytes.
const maxFile = 64 << 20

// readFiles reads a file, or all files below a folder, by their paths within it. It leaves out what is not a regular file, or larger than
// maxFile.
func readFiles(path string) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := filepath.WalkDir(path, func(p string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		info, err := e.Info()
		if err != nil || info.Size() > maxFile {
			return err
		}
		within, err := filepath.Rel(path, p)
		if err != nil {
			return err
		}
		files[filepath.ToSlash(within)], err = os.ReadFile(p)
		return err
	})
	return files, err
}

// writeFiles writes the files of a card into a folder.
func (c Card) writeFiles(dir string) error {
	for name, data := range c.Files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// names lists the files of a card, as the model is told.
func (c Card) names() string {
	if len(c.Files) == 0 {
		return "The working folder is empty."
	}
	var names []string
	for name := range c.Files {
		names = append(names, name)
	}
	slices.Sort(names)
	return "The working folder contains " + strings.Join(names, ", ") + "."
}
