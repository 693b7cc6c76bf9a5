package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestALinkSwappedInBetweenLeadsNowhere(t *testing.T) {
	p := newPlace(t)
	secret := p.put(filepath.Join(p.out, "secret"), "s")
	p.put("sub/f", "mine")
	file, err := p.Resolve("f2")
	if err != nil {
		t.Fatal(err)
	}
	below, err := p.Resolve(filepath.Join(p.in, "sub", "f"))
	if err != nil {
		t.Fatal(err)
	}
	// After both paths were resolved, one file and the folder of the other become links.
	p.link(secret, "f2")
	if err := os.Rename(filepath.Join(p.in, "sub"), filepath.Join(p.in, "old")); err != nil {
		t.Fatal(err)
	}
	p.link(p.out, "sub")
	p.put(filepath.Join(p.out, "f"), "theirs")
	for _, real := range []string{file, below} {
		if data, _, err := p.Read(real); err == nil {
			t.Errorf("read %q through %s", data, real)
		}
		if _, err := p.Write(real, []byte("overwritten"), Over{Any: true}); err == nil {
			t.Errorf("wrote through %s", real)
		}
		if err := p.Check(real, Over{Known: []Stamp{{Size: 1}}}); err == nil {
			t.Errorf("looked through %s", real)
		}
	}
	if p.text(secret) != "s" || p.text(filepath.Join(p.out, "f")) != "theirs" || p.names(p.out) != "f secret" {
		t.Errorf("outside there is now %s", p.names(p.out))
	}
}

// Who names a link, or checks its extension, judges the name; what is read is what it leads to.
func TestALinkLeadsOnlyToAFileThatItsNameSays(t *testing.T) {
	p := newPlace(t)
	for _, name := range []string{".env", ".git/config.wav", "sub/a.wav", "b.mp4", "sub/.d/c.wav"} {
		p.put(name, "x")
	}
	for to, names := range map[string][]string{
		".env": {"a.wav", "env"}, ".git/config.wav": {"c.wav"}, ".git": {"folder"}, "b.mp4": {"b.wav", "b.WAV"}, "sub/.d": {"d"},
	} {
		for _, name := range names {
			p.link(to, name)
			if real, err := p.Resolve(filepath.Join(p.in, name)); err == nil || !strings.Contains(err.Error(), "is a link to") {
				t.Errorf("%s leads to %s, %v", name, real, err)
			}
		}
	}
	for _, inside := range []string{"folder/config.wav", "d/c.wav", "folder/new.wav"} {
		if real, err := p.Resolve(filepath.Join(p.in, inside)); err == nil {
			t.Errorf("%s leads to %s", inside, real)
		}
	}
	for name, to := range map[string]string{"latest.wav": "sub/a.wav", "LATEST.WAV": "sub/a.wav", "bare": "b.mp4", "place": "sub"} {
		p.link(to, name)
		if real, err := p.Resolve(filepath.Join(p.in, name)); err != nil || real != filepath.Join(p.in, to) {
			t.Errorf("%s leads to %s, %v", name, real, err)
		}
	}
	for _, name := range []string{".env", ".git/config.wav", "sub/.d/c.wav", "place/a.wav", "place/.d/c.wav"} {
		if _, err := p.Resolve(filepath.Join(p.in, name)); err != nil {
			t.Error(err)
		}
	}
}

// An os.Root follows links that stay inside.
func TestALinkSwappedInWithinTheRootLeadsNowhere(t *testing.T) {
	p := newPlace(t)
	p.put("f.wav", "mine")
	p.put("sub/f.wav", "mine")
	p.put(".env", "secret")
	p.put(".git/f.wav", "secret")
	file, below := filepath.Join(p.in, "f.wav"), filepath.Join(p.in, "sub", "f.wav")
	for _, real := range []string{file, below} {
		if got, err := p.Resolve(real); err != nil || got != real {
			t.Fatal(got, err)
		}
	}
	if err := os.Rename(file, filepath.Join(p.in, "old.wav")); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(p.in, "sub"), filepath.Join(p.in, "old")); err != nil {
		t.Fatal(err)
	}
	p.link(".env", "f.wav")
	p.link(".git", "sub")
	for _, real := range []string{file, below} {
		if data, _, err := p.Read(real); err == nil {
			t.Errorf("read %q through %s", data, real)
		}
		if f, err := p.Open(real); err == nil {
			f.Close()
			t.Errorf("opened %s", real)
		}
		if _, err := p.Write(real, []byte("overwritten"), Over{Any: true}); err == nil {
			t.Errorf("wrote through %s", real)
		}
		if err := p.Check(real, Over{Known: []Stamp{{Size: 1}}}); err == nil {
			t.Errorf("looked through %s", real)
		}
	}
	for _, dir := range []string{"sub", "f.wav"} {
		if root, err := p.OpenDir(filepath.Join(p.in, dir)); err == nil {
			root.Close()
			t.Errorf("opened the folder %s", dir)
		}
	}
	if names := p.List(filepath.Join(p.in, "sub")); len(names) > 0 {
		t.Errorf("listed %s", names)
	}
	if p.text(filepath.Join(p.in, ".env")) != "secret" || p.text(filepath.Join(p.in, ".git", "f.wav")) != "secret" {
		t.Error("a hidden file was written")
	}
}
