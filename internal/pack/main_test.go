package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

func TestAPackIsMadeOnceForTheSameInputs(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("FCP_CACHE", dir)
	made := 0
	get := func(inputs string) {
		t.Helper()
		got, err := fromCache(inputs, func() ([]byte, error) { made++; return []byte("pack of " + inputs), nil })
		if err != nil || string(got) != "pack of "+inputs {
			t.Fatalf("%q, %v", got, err)
		}
	}
	get("a")
	get("a")
	if made != 1 {
		t.Errorf("made %d times", made)
	}
	file := filepath.Join(dir, "packs", "a")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	data[2] ^= 1
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	get("a") // damaged, and made anew
	if made != 2 {
		t.Errorf("made %d times", made)
	}
	for i := range 2 * maxPacks {
		get(fmt.Sprint("b", i))
	}
	if list, err := os.ReadDir(filepath.Dir(file)); err != nil || len(list) != maxPacks {
		t.Errorf("it keeps %d packs, %v", len(list), err)
	}
	failed := errors.New("no pack")
	if _, err := fromCache("c", func() ([]byte, error) { return nil, failed }); !errors.Is(err, failed) {
		t.Error(err)
	}
}
