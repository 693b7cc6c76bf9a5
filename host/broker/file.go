package broker

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/filelock"
	"github.com/fcp-host/fcp-host/host/files"
)

// Entry is one grant in the file. It applies to one module and, for http, to one origin and these variables.
type Entry struct {
	Module    string   `json:"module"` // sha256, in hex
	Domain    string   `json:"domain"` // informative
	Want      string   `json:"want"`
	Origin    string   `json:"origin,omitempty"`
	Variables []string `json:"variables,omitempty"`
	Added     string   `json:"added,omitempty"` // a date
}

// File is the file of grants. It is read again when it changes.
type File struct {
	Others func() []Entry // grants from elsewhere that apply too; may be nil

	path string

	mu   sync.Mutex
	seen fs.FileInfo
	has  content
	err  error
}

// NewFile returns the file at path, which need not exist.
func NewFile(path string) *File { return &File{path: path} }

// Path returns the file's path.
func (f *File) Path() string { return f.path }

// maxFile is the file's largest size, in bytes.
const maxFile = 1 << 20

// content is the content of the file.
type content struct {
	Grants  []Entry `json:"grants"`
	Revoked []Entry `json:"revoked,omitempty"` // revoked grants of built-in domains: a domain and a want, for any module
}

// Entries lists the grants in the order in which they were added.
func (f *File) Entries() ([]Entry, error) {
	c, err := f.content()
	return c.Grants, err
}

// All lists the grants of the file and those of Others.
func (f *File) All() ([]Entry, error) {
	entries, err := f.Entries()
	if err == nil && f.Others != nil {
		entries = slices.Concat(entries, f.Others())
	}
	return entries, err
}

// Revokes reports whether a grant that the host ships is revoked. If the file cannot be read, it counts as revoked, and
// the error says why.
func (f *File) Revokes(domain, want string) (bool, error) {
	c, err := f.content()
	if err != nil {
		return true, fmt.Errorf("which is not granted (%w)", err)
	}
	return slices.ContainsFunc(c.Revoked, func(e Entry) bool { return e.Domain == domain && e.Want == want }), nil
}

func (f *File) content() (content, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	info, err := os.Stat(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		f.seen, f.has, f.err = nil, content{}, nil
		return f.has, nil
	}
	if err != nil {
		return content{}, err
	}
	if f.seen != nil && os.SameFile(info, f.seen) && info.ModTime().Equal(f.seen.ModTime()) && info.Size() == f.seen.Size() && info.Mode() == f.seen.Mode() {
		return f.has, f.err
	}
	f.seen = info
	f.has, f.err = read(f.path, info)
	return f.has, f.err
}

func read(path string, info fs.FileInfo) (content, error) {
	fail := func(err error) (content, error) {
		return content{}, fmt.Errorf("the grants in %s are not used: %w", path, err)
	}
	switch {
	case !info.Mode().IsRegular():
		return fail(errors.New("it is not a regular file"))
	case info.Size() > maxFile:
		return fail(fmt.Errorf("it is larger than %d MiB", maxFile>>20))
	}
	if err := files.CheckPrivate(info); err != nil {
		return fail(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return fail(err)
	}
	var c content
	if err := json.Unmarshal(data, &c); err != nil {
		return fail(fmt.Errorf("it is damaged (%w); remove it and grant again", err))
	}
	return c, nil
}

// grants reports whether the file grants a want to the module of d. The error says why a grant no longer applies.
func (f *File) grants(d *domain.Domain, want *abi.Want, value func(string) (string, error)) (bool, error) {
	entries, err := f.All()
	if err != nil {
		return false, fmt.Errorf("which is not granted (%w)", err)
	}
	var why error
	for i := range entries {
		e := &entries[i]
		switch {
		case e.Want != want.Key() || e.Module != d.Build && e.Domain != d.Name():
			continue
		case e.Module != d.Build:
			why = fmt.Errorf("which was granted to another build of this plugin (sha256 %.12s…, this is %.12s…); look at this one before you grant it: fcp-host inspect", e.Module, d.Build)
			continue
		}
		if want.Kind != abi.WantHTTP {
			return true, nil
		}
		origin, names, err := originOf(want, nil, value)
		switch {
		case errors.As(err, new(*unset)): // usable reports this
			return true, nil
		case err != nil:
			why = fmt.Errorf("which was granted for %s, and %w", e.Origin, err)
		case origin != e.Origin:
			why = fmt.Errorf("which was granted for %s, and requests would go to %s now; to grant that: fcp-host grants add", e.Origin, origin)
		case !slices.Equal(names, e.Variables):
			why = fmt.Errorf("which was granted with other variables (%s)", strings.Join(e.Variables, ", "))
		default:
			return true, nil
		}
	}
	return false, why
}

// Entry returns the entry that grants a want to a module under the present conditions. want may name variables (see ParseGrant).
func (b *Broker) Entry(m *abi.Manifest, sum, want string) (Entry, error) {
	want, named, err := parseWant(want)
	if err != nil {
		return Entry{}, err
	}
	i := slices.IndexFunc(m.Wants, func(w abi.Want) bool { return w.Key() == want })
	if i < 0 {
		var keys []string
		for k := range m.Wants {
			keys = append(keys, m.Wants[k].Key())
		}
		if len(keys) == 0 {
			return Entry{}, fmt.Errorf("%s wants nothing outside of its sandbox", m.Domain)
		}
		return Entry{}, fmt.Errorf("%s does not want %s; it wants %s", m.Domain, printableLine(want, maxShown), printableLine(strings.Join(keys, ", "), maxShown))
	}
	e := Entry{Module: sum, Domain: m.Domain, Want: want, Added: time.Now().Format(time.DateOnly)}
	if m.Wants[i].Kind != abi.WantHTTP {
		return e, nil
	}
	if err := checkNamed(m.Domain, &m.Wants[i], named); err != nil {
		return Entry{}, fmt.Errorf("%s: %w", want, err)
	}
	if e.Origin, e.Variables, err = originOf(&m.Wants[i], nil, b.value); err != nil {
		return Entry{}, fmt.Errorf("%s: %w: a grant is for one server, which must be known", want, err)
	}
	return e, nil
}

// Add adds a grant, and replaces one of the same module and want.
func (f *File) Add(e Entry) error {
	return f.change(func(c *content) {
		c.Grants = slices.DeleteFunc(c.Grants, func(old Entry) bool { return old.Module == e.Module && old.Want == e.Want })
		c.Grants = append(c.Grants, e)
	})
}

// Restore undoes the revocation of a grant that the host ships.
func (f *File) Restore(e Entry) error {
	return f.change(func(c *content) { c.Revoked = slices.DeleteFunc(c.Revoked, e.sameWant) })
}

func (e Entry) sameWant(other Entry) bool { return e.Domain == other.Domain && e.Want == other.Want }

// Revoke removes the grants that match, records those of shipped that match as revoked, and returns both.
func (f *File) Revoke(matches func(Entry) bool, shipped []Entry) (gone []Entry, err error) {
	err = f.change(func(c *content) {
		gone = nil
		c.Grants = slices.DeleteFunc(c.Grants, func(e Entry) bool {
			if matches(e) {
				gone = append(gone, e)
				return true
			}
			return false
		})
		for _, e := range shipped {
			if matches(e) && !slices.ContainsFunc(c.Revoked, e.sameWant) {
				c.Revoked, gone = append(c.Revoked, e), append(gone, e)
			}
		}
	})
	return gone, err
}

// change rewrites the file under a lock, so that concurrent changes are not lost.
func (f *File) change(how func(*content)) error {
	dir := filepath.Dir(f.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	lock, err := os.OpenFile(f.path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer lock.Close()
	if ok, err := filelock.Lock(lock, true); err != nil {
		return err
	} else if !ok {
		return errors.New("another fcp-host is writing the grants; try again")
	}
	c, err := f.content()
	if err != nil {
		return err
	}
	c = content{slices.Clone(c.Grants), slices.Clone(c.Revoked)}
	how(&c)
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	temp, err := os.CreateTemp(dir, ".grants-*") // created with mode 0600
	if err != nil {
		return err
	}
	_, err = temp.Write(append(data, '\n'))
	if err == nil {
		err = temp.Sync()
	}
	if cerr := temp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(temp.Name(), f.path)
	}
	if err != nil {
		os.Remove(temp.Name())
	}
	return err
}
