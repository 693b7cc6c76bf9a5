package command

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fcp-host/fcp-host/host/capability/folder"
	"github.com/fcp-host/fcp-host/host/files"
)

// Root is a kind of root other than a folder.
type Root struct {
	Example string // an example URL
	// Open opens the root of a URL.
	Open func(url string, h RootHost) (files.Tree, error)
}

// RootHost holds a host's settings for such roots.
type RootHost struct {
	Endpoint string        // of the server, "" for what the environment says
	Region   string        // where that is, "" likewise
	Wait     time.Duration // how long a call waits for an answer
}

// rootExamples returns example URLs of the roots that this program supports.
func rootExamples() string {
	var list []string
	for _, scheme := range slices.Sorted(maps.Keys(self.Roots)) {
		list = append(list, self.Roots[scheme].Example)
	}
	return strings.Join(list, ", ")
}

// newRoots opens the roots that the settings name.
func (s *settings) newRoots() (*files.Roots, error) {
	open := map[string]func(string) (files.Tree, error){}
	for scheme, kind := range self.Roots {
		open[scheme] = func(url string) (files.Tree, error) { return kind.Open(url, s.rootHost) }
	}
	roots, err := files.Trees{Open: open, Wait: s.rootHost.Wait}.NewRoots(s.roots...)
	if err != nil {
		return nil, err
	}
	return roots.WithFolderKey(sync.OnceValue(folderKey)), nil
}

// folderKey returns the user's key for records in folders, or nil if it cannot be kept: then each host finishes only its own saves.
func folderKey() []byte {
	dir, err := stateDir()
	if err != nil {
		return nil
	}
	key, err := folder.ReadKey(filepath.Join(dir, "folder-key"))
	if err != nil {
		return nil
	}
	return key
}
