package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// crowd is how many plugins the folder has.
const crowd = 500

// manyPlugins measures a start with a folder of many small plugins that an earlier start has cached.
func manyPlugins(b *bench) error {
	dir := filepath.Join(filepath.Dir(b.cache), "crowd")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	for i := range crowd {
		acts, m := testwasm.Minimal(), testwasm.MinimalManifest()
		m.Domain, m.Extensions = fmt.Sprintf("d%d", i), []string{fmt.Sprintf(".d%d", i)}
		acts[abi.ExportManifest] = testwasm.Answers(m)
		if err := os.WriteFile(filepath.Join(dir, m.Domain+".wasm"), testwasm.Scripted(acts), 0o600); err != nil {
			return err
		}
	}
	if err := b.compilePlugins(dir); err != nil {
		return err
	}
	list := func(s *server) error {
		if n, err := s.tools(); err != nil || n != 4*(crowd+len(domains())) {
			return fmt.Errorf("%d tools: %w", n, err)
		}
		return nil
	}
	warm, err := sample(5, func(int) (cost, error) { return b.startup(b.cache, list, nil, "--plugins", dir) })
	if err != nil {
		return err
	}
	b.time(fmt.Sprintf("start → tools/list, %d more plugins, warm", crowd), warm, "2000 ms")
	return nil
}

// compilePlugins runs a server until it has compiled all plugins of the folder.
func (b *bench) compilePlugins(dir string) error {
	s, err := b.start(b.cache, "--plugins", dir)
	if err != nil {
		return err
	}
	defer s.stop()
	for range 600 {
		entries, err := os.ReadDir(filepath.Join(b.cache, "modules"))
		if err != nil || len(entries) >= crowd+len(domains()) {
			return err
		}
		time.Sleep(time.Second)
	}
	return fmt.Errorf("%d plugins are not compiled after ten minutes", crowd)
}

// tools counts the tools in tools/list.
func (s *server) tools() (int, error) {
	raw, err := s.request("tools/list", nil)
	if err != nil {
		return 0, err
	}
	var list struct{ Tools []struct{} }
	err = json.Unmarshal(raw, &list)
	return len(list.Tools), err
}
