package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/internal/ends"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// crowd is how many plugins the folder has.
const crowd = 500

// manyPlugins measures a start with a folder of many small plugins that an earlier start has cached.
func manyPlugins(b *bench) {
	dir := filepath.Join(filepath.Dir(b.cache), "crowd")
	ends.If(os.Mkdir(dir, 0o700))
	for i := range crowd {
		acts, m := testwasm.Minimal(), testwasm.MinimalManifest()
		m.Domain, m.Extensions = fmt.Sprintf("d%d", i), []string{fmt.Sprintf(".d%d", i)}
		acts[abi.ExportManifest] = testwasm.Answers(m)
		ends.If(os.WriteFile(filepath.Join(dir, m.Domain+".wasm"), testwasm.Scripted(acts), 0o600))
	}
	b.compilePlugins(dir)
	list := func(s *server) {
		if n := s.tools(); n != 4*(crowd+len(domains())) {
			ends.If(fmt.Errorf("%d tools", n))
		}
	}
	warm := sample(5, func(int) cost { return b.startup(b.cache, list, nil, "--plugins", dir) })
	b.time(fmt.Sprintf("start → tools/list, %d more plugins, warm", crowd), warm, "2000 ms")
}

// compilePlugins runs a server until it has compiled all plugins of the folder.
func (b *bench) compilePlugins(dir string) {
	s := b.start(b.cache, "--plugins", dir)
	defer s.stop()
	for range 600 {
		if len(ends.Unless(os.ReadDir(filepath.Join(b.cache, "modules")))) >= crowd+len(domains()) {
			return
		}
		time.Sleep(time.Second)
	}
	ends.If(fmt.Errorf("%d plugins are not compiled after ten minutes", crowd))
}

// tools counts the tools in tools/list.
func (s *server) tools() int {
	var list struct{ Tools []struct{} }
	ends.If(json.Unmarshal(s.request("tools/list", nil), &list))
	return len(list.Tools)
}
