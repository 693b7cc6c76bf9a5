package command

import (
	"flag"
	"fmt"
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

// flags adds the flags to a set.
func (h *RootHost) flags(f *flag.FlagSet) {
	h.Wait = 10 * time.Second
	f.StringVar(&h.Endpoint, "s3-endpoint", "", "")
	f.StringVar(&h.Region, "s3-region", "", "")
	f.Func("s3-wait", "", func(v string) (err error) {
		const least = 100 * time.Millisecond
		if h.Wait, err = time.ParseDuration(v); err != nil || h.Wait < least {
			return fmt.Errorf("it must be a duration of at least %v", least)
		}
		return nil
	})
}

const rootUsage = `
Flags of serve, exec, view and doctor about files in an object store, --root %s:
  --s3-endpoint URL  address of the store, https://HOST, or http://HOST:PORT without TLS (default: the variable
                     AWS_ENDPOINT_URL_S3, or Amazon's); credentials come from the environment or a file,
                     as for the AWS and MinIO programs
  --s3-region NAME   region of the store (default: the variable AWS_REGION, or us-east-1)
  --s3-wait D        how long a call waits for the store, plus a second for each MiB (default 10s)
`

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
