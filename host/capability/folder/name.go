package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// ours is the prefix of files that this package and host/files create beside the user's. No document has files with
// such names.
const ours = ".fcp-"

// check returns why no file of a document can have that name.
func (p *pattern) check(name string) error {
	if strings.ContainsAny(name, "\\\x00") {
		return errors.New("its name holds a backslash or a zero byte")
	}
	if !fs.ValidPath(name) || name == "." {
		return errors.New("its name is not a relative path of UTF-8 without . and .. in it")
	}
	elements := strings.Split(name, "/")
	for i, e := range elements[:len(elements)-1] {
		// Fold first: some file systems ignore an invisible letter in .Git and open .git.
		if strings.HasPrefix(fold(e), ".") && (i > 0 || e != p.marker) {
			return fmt.Errorf("it lies in the hidden folder %s", e)
		}
		if dir := path.Join(elements[:i+1]...); p.excludes(dir) {
			return fmt.Errorf("it lies in %s, which is left out", dir)
		}
	}
	last := elements[len(elements)-1]
	if strings.HasPrefix(fold(last), ours) {
		return fmt.Errorf("names with %s are the host's own", ours)
	}
	if strings.HasPrefix(fold(last), ".") != strings.HasPrefix(last, ".") {
		return errors.New("an invisible letter hides that its name starts with a dot")
	}
	if !p.includes(name) {
		return fmt.Errorf("it is none of %s", p.text)
	}
	return nil
}

var (
	// Names of Windows devices, with any extension; a superscript digit counts as a digit.
	device = regexp.MustCompile(`(?i)^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])[ ]*(\..*)?$`)
	// Windows' short names of other files: GIT~1 is .git.
	short = regexp.MustCompile(`^[^.]{1,6}~[0-9]+(\.[^.]{0,3})?$`)
)

// portable returns why a new file should not have that name: on another system it would be another file, or not be
// possible. Existing files keep such names.
func portable(name string) error {
	for e := range strings.SplitSeq(name, "/") {
		switch {
		case strings.ContainsAny(e, `<>:"|?*`) || strings.ContainsFunc(e, unicode.IsControl):
			return fmt.Errorf(`%q holds a control character or one of < > : " | ? *`, e)
		case strings.HasSuffix(e, ".") || strings.HasSuffix(e, " "):
			return fmt.Errorf("%q ends with a dot or a space", e)
		case device.MatchString(e):
			return fmt.Errorf("%q is a device on Windows", e)
		case short.MatchString(e):
			return fmt.Errorf("%q is a short name on Windows", e)
		}
	}
	return nil
}

// fold maps names to the same text if some file system considers them equal: full case folding of the canonical
// decomposition, without invisible characters.
func fold(name string) string {
	ascii := true
	for i := range len(name) {
		ascii = ascii && name[i] < 0x80
	}
	if ascii {
		return strings.ToLower(name)
	}
	name = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, name)
	return norm.NFD.String(cases.Fold().String(norm.NFD.String(name)))
}

// spellings holds used names by their folded form: files and the folders above them.
type spellings map[string]string

func (s spellings) add(name string) {
	for ; name != "."; name = path.Dir(name) {
		s[fold(name)] = name
	}
}

// twin returns a used name that differs from name, or from a folder above it, only in spelling.
func (s spellings) twin(name string) (string, bool) {
	for ; name != "."; name = path.Dir(name) {
		if there, ok := s[fold(name)]; ok && there != name {
			return there, true
		}
	}
	return "", false
}
