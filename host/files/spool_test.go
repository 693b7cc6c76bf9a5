package files

import (
	"io"
	"os"
	"path/filepath"
	"testing"
)

func TestASpoolLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	r, err := NewRoots(dir)
	if err != nil {
		t.Fatal(err)
	}
	real, err := r.Resolve("a.wav")
	if err != nil {
		t.Fatal(err)
	}
	s, err := r.Spool(real)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"one ", "two"} {
		if _, err := s.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.WriteFrom(real, s.Reader(), Over{}); err != nil {
		t.Fatal(err)
	}
	if all, err := io.ReadAll(s.Reader()); err != nil || string(all) != "one two" || s.Size() != 7 {
		t.Errorf("it holds %q of %d bytes, %v", all, s.Size(), err)
	}
	s.Close()
	if data, err := os.ReadFile(filepath.Join(dir, "a.wav")); err != nil || string(data) != "one two" {
		t.Errorf("the file holds %q, %v", data, err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
		t.Errorf("the folder holds %v, %v", left, err)
	}
	if _, err := r.ReadOnly().Spool(real); err == nil {
		t.Error("it begins a file where none may be written")
	}
}
