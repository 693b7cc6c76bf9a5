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

// cageFolder is the path of the private folder in the cage's root.
const cageFolder = "/.run"

// libraries are the paths from which programs load and execute code.
var libraries = []string{"/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib"}

// texts are the other paths they read: without fonts and their configuration ffmpeg draws no text, and without the list
// of processors x265 starts one thread. /etc/alternatives has links to libraries.
var texts = []string{"/sys/devices/system/cpu", "/sys/devices/system/node", "/etc/ld.so.cache", "/etc/alternatives", "/etc/fonts", "/usr/share/fonts", "/usr/local/share/fonts", "/usr/share/fontconfig", "/var/cache/fontconfig"}

// enterRoot creates a root that contains only what the program may read and its private folder, and changes to that
// folder.
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
	// Open all trees first: while the new root is furnished, it covers one of the old root's folders.
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

// attach mounts a tree, which is a folder or a file, at a path that it creates.
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

// places returns which of the paths to mount, none of them inside another, and which are links, with their targets. It
// skips missing paths.
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
