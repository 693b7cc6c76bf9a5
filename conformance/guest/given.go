package guest

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/capability/folder"
)

// readSamples reads the samples at paths: files, files with the domain's extensions in folders, and folders as documents.
func readSamples(m *abi.Manifest, paths []string, folders bool) (list []Sample, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return nil, err
		case folders && info.IsDir():
			files, err := inFolder(path, m.Folder)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			list = append(list, Sample{Name: path, Files: files})
			continue
		case folders:
			return nil, fmt.Errorf("%s is a file, and the documents of %s are folders", path, m.Domain)
		}
		err = filepath.WalkDir(path, func(name string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			if name != path && (strings.HasPrefix(e.Name(), ".") || !hasEnding(e.Name(), m.Extensions)) {
				return nil
			}
			data, err := os.ReadFile(name)
			list = append(list, Sample{Name: name, Data: data})
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if len(paths) > 0 && len(list) == 0 {
		return nil, fmt.Errorf("no files that end in %s in %s", strings.Join(m.Extensions, ", "), strings.Join(paths, ", "))
	}
	return list, nil
}

func hasEnding(name string, endings []string) bool {
	return slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(strings.ToLower(name), e) })
}

// inFolder reads the files of a folder that belong to the document.
func inFolder(path string, of *abi.Folder) (map[string][]byte, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	f, _, err := folder.Open(root, folder.Pattern{Include: of.Include, Exclude: of.Exclude, Marker: of.Marker}, nil, folder.Limits{})
	if err != nil {
		return nil, err
	}
	defer f.Close()
	files := map[string][]byte{}
	for name, data := range f.Known() {
		files[name] = data
	}
	return files, nil
}
