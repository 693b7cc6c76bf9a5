package files

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"unicode"
)

// IsURI reports whether a word is a file URI, such as file:///home/ann/a%20b.mid.
func IsURI(word string) bool {
	return len(word) > 5 && strings.EqualFold(word[:5], "file:")
}

// FromURI returns the path that a file URI names. ok is false, and path is word, if it is not a file URI.
//
// Besides what the standard has, it reads what programs and models write: file://localhost/PATH, file:/PATH, file:PATH,
// file://C:/PATH and file://./PATH.
func FromURI(word string) (path string, ok bool, err error) {
	encoded, ok, err := afterHost(word)
	if !ok || err != nil {
		return word, ok, err
	}
	path, clean := decode(encoded)
	if !clean {
		return word, true, fmt.Errorf("%s holds an encoded slash or control character, which no file name can have", cut(word))
	}
	return local(path), true, nil
}

// afterHost returns the path in a file URI, still encoded.
func afterHost(word string) (path string, ok bool, err error) {
	if !IsURI(word) {
		return "", false, nil
	}
	rest, hosted := strings.CutPrefix(word[5:], "//")
	if !hosted {
		return word[5:], true, nil
	}
	host, after, _ := strings.Cut(rest, "/")
	switch {
	case host == "" || strings.EqualFold(host, "localhost"):
		return "/" + after, true, nil
	case host == "." || host == ".." || host == "~" || drive.MatchString(host+"/"):
		return rest, true, nil
	case runtime.GOOS == "windows":
		return "//" + rest, true, nil // a share
	}
	return "", true, fmt.Errorf("%s names a file of the computer %s; a file of this one is file:///PATH, or PATH alone", cut(word), cut(host))
}

// local is the path in a URI as this system writes it: /C:/PATH is C:\PATH on Windows.
func local(path string) string {
	if len(path) > 1 && drive.MatchString(path[1:]) {
		path = path[1:]
	}
	return filepath.FromSlash(path)
}

// decode returns a path without percent-encoding. clean is false if that would give a name a separator or a control
// character; a path that is not encoded correctly is not encoded at all.
func decode(path string) (decoded string, clean bool) {
	decoded, err := url.PathUnescape(path)
	if err != nil {
		return path, true
	}
	clean = strings.Count(decoded, "/") == strings.Count(path, "/") && strings.Count(decoded, `\`) == strings.Count(path, `\`) &&
		!strings.ContainsFunc(decoded, unicode.IsControl)
	return decoded, clean
}

// readings lists the paths that a user may mean by a word, the one first that names a new file. What exists already has
// a name as it is written, whether or not that looks encoded, so the other order holds for it: see Resolve.
func readings(word string) (paths []string, uri bool, err error) {
	path, uri, err := FromURI(word)
	if err != nil {
		return nil, uri, err
	}
	raw := word
	if uri {
		if raw, _, err = afterHost(word); err != nil {
			return nil, uri, err
		}
		raw = local(raw)
	} else if decoded, clean := decode(word); clean {
		path = decoded
	}
	if path == raw {
		return []string{raw}, uri, nil
	}
	return []string{path, raw}, uri, nil
}

// drive matches how paths of Windows with a drive start. A line break or a tab is what a quoted \n or \t has become.
var drive = regexp.MustCompile(`^[A-Za-z]:[\\/\n\t]`)

// isWindowsPath reports whether a path is one of another system: with a drive, or with backslashes between folders.
func isWindowsPath(path string) bool {
	return runtime.GOOS != "windows" && (drive.MatchString(path) || strings.Contains(path, `\`))
}

// windowsPath is the error for a path of Windows on another system.
func (r *Roots) windowsPath(path string) error {
	here := "relative paths start at " + r.area.Load().cwd
	if drive.MatchString(path) {
		// Where the Windows Subsystem for Linux has the drives of Windows.
		mount := "/mnt/" + strings.ToLower(path[:1])
		if info, err := os.Stat(mount); err == nil && info.IsDir() {
			here = "here that is " + mount + "/" + strings.ReplaceAll(strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(path[3:]), `\`, "/")
		}
	}
	return fmt.Errorf("%q is a path of Windows, and fcp-host runs on %s: write the path as it is on this system, with / between folders; %s",
		path[:min(len(path), 4096)], map[string]string{"linux": "Linux", "darwin": "macOS"}[runtime.GOOS], here)
}

// Plain returns a path of the same file that is neither a URI nor percent-encoded.
func (r *Roots) Plain(path string) string {
	if !IsURI(path) && !strings.Contains(path, "%") {
		return path
	}
	real, err := r.Resolve(path)
	if err != nil {
		return path
	}
	return r.Word(real)
}
