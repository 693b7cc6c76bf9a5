package program

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/host/confine"
	"golang.org/x/sys/unix"
)

// cageFolder is where the private folder lies in a root of the cage's own.
const cageFolder = "/.run"

// libraries is what programs load and execute.
var libraries = []string{"/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib"}

// texts is what they read besides: without fonts and their configuration ffmpeg draws no text, and without the list of processors x265
// starts one thread. /etc/alternatives holds links to libraries.
var texts = []string{"/sys/devices/system/cpu", "/sys/devices/system/node", "/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts", "/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/fontconfig", "/var/cache/fontconfig"}

// enterRoot makes a root folder in which there is nothing but what the program may read, and its folder, to which it goes.
func enterRoot(o *order) error {
	dirs, links := places(slices.Concat(libraries, texts, o.Reads, []string{o.Program}))
	var trees []int
	defer func() {
		for _, fd := range trees {
			unix.Close(fd)
		}
	}()
	take := func(path string, attributes uint64) error {
		fd, err := unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
		if err != nil {
			return fmt.Errorf("take %s: %w", path, err)
		}
		trees = append(trees, fd)
		attr := unix.MountAttr{Attr_set: attributes, Propagation: unix.MS_PRIVATE}
		if err := unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr); err != nil {
			return fmt.Errorf("take %s: %w", path, err)
		}
		return nil
	}
	// All of them first: the new root lies on one of the old root's folders while it is furnished.
	const quiet = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
	for _, dir := range dirs {
		if err := take(dir, quiet|unix.MOUNT_ATTR_RDONLY); err != nil {
			return err
		}
	}
	if err := take(".", quiet|unix.MOUNT_ATTR_NOEXEC); err != nil {
		return err
	}
	entries := 0
	for _, path := range dirs {
		entries += strings.Count(path, "/")
	}
	for link := range links {
		entries += strings.Count(link, "/")
	}
	err := confine.LeaveRoot(entries+1, func(at string) error {
		for i, path := range append(dirs, cageFolder) {
			if err := attach(trees[i], filepath.Join(at, path)); err != nil {
				return fmt.Errorf("attach %s: %w", path, err)
			}
		}
		for link, to := range links {
			err := os.MkdirAll(filepath.Join(at, filepath.Dir(link)), 0o755)
			if err == nil {
				err = os.Symlink(to, filepath.Join(at, link))
			}
			if err != nil {
				return fmt.Errorf("link %s: %w", link, err)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return unix.Chdir(cageFolder)
}

// attach puts a tree, which is a folder or a file, to a path that is made for it.
func attach(tree int, path string) error {
	var stat unix.Stat_t
	if err := unix.Fstat(tree, &stat); err != nil {
		return err
	}
	dir := path
	if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		dir = filepath.Dir(path)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if dir != path {
		if err := os.WriteFile(path, nil, 0o644); err != nil {
			return err
		}
	}
	return unix.MoveMount(tree, "", unix.AT_FDCWD, path, unix.MOVE_MOUNT_F_EMPTY_PATH)
}

// places says which of the paths are to be attached, none of them in another, and which are links to what. What is not there is
// left out.
func places(paths []string) (dirs []string, links map[string]string) {
	links = map[string]string{}
	for _, path := range paths {
		path = filepath.Clean(path)
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			continue
		}
		if real != path {
			links[path] = real
		}
		dirs = append(dirs, real)
	}
	slices.Sort(dirs)
	dirs = slices.Compact(dirs)
	all := slices.Clone(dirs)
	within := func(path string) bool {
		return slices.ContainsFunc(all, func(dir string) bool { return dir != path && below(path, dir) })
	}
	maps.DeleteFunc(links, func(link, _ string) bool { return within(link) })
	return slices.DeleteFunc(dirs, within), links
}
