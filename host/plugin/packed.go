package plugin

import (
	"archive/zip"
	"bytes"
	"cmp"
	"compress/flate"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// A pack is a zip archive with two files for each module: MIDI.wasm and
// MIDI.json, what is known of it. The same modules give the same bytes.

// known is what a pack says of a module beside its bytes.
type known struct {
	SHA256   string
	Info     sandbox.Info
	Manifest []byte
}

// Pack writes a pack of modules. It asks each for its manifest, in the sandbox.
func Pack(ctx context.Context, w io.Writer, command []string, wasm ...[]byte) error {
	type entry struct {
		name string
		data []byte
	}
	var entries []entry
	for _, data := range wasm {
		m, err := sandbox.NewModule(data)
		if err != nil {
			return err
		}
		name, manifest, err := ask(ctx, command, m)
		if err != nil {
			return err
		}
		about, err := json.MarshalIndent(known{hex.EncodeToString(m.Sum[:]), m.Info, manifest}, "", " ")
		if err != nil {
			return err
		}
		entries = append(entries, entry{name + ".wasm", data}, entry{name + ".json", about})
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	for _, e := range entries {
		f, err := z.Create(e.name)
		if err == nil {
			_, err = f.Write(e.data)
		}
		if err != nil {
			return err
		}
	}
	return z.Close()
}

// ask gives a module's manifest and the domain in it.
func ask(ctx context.Context, command []string, m *sandbox.Module) (name string, manifest []byte, err error) {
	box, err := sandbox.NewPlugin(sandbox.Config{Name: "module", Module: m, Command: command})
	if err != nil {
		return "", nil, err
	}
	defer box.Close()
	if err := exports(m.Info); err != nil {
		return "", nil, err
	}
	limits := sandbox.DefaultLimits()
	if manifest, err = box.Interpret(ctx, abi.ExportManifest, limits.Compile); err != nil {
		return "", nil, err
	}
	d, err := describe(manifest, box)
	if err != nil {
		return "", nil, err
	}
	return d.Name(), manifest, nil
}

// Unpack reads what is known of the modules in a pack, in the order of their
// names. Their bytes are decompressed each time that they are asked for, which
// takes some 4 ms a megabyte.
func Unpack(r io.ReaderAt, size int64) ([]Builtin, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, err
	}
	var out []Builtin
	for _, f := range z.File {
		name, ok := strings.CutSuffix(f.Name, ".wasm")
		if !ok {
			continue
		}
		about, err := z.Open(name + ".json")
		if err != nil {
			return nil, err
		}
		var k known
		err = json.NewDecoder(about).Decode(&k)
		about.Close()
		if err != nil {
			return nil, fmt.Errorf("%s.json: %w", name, err)
		}
		m := &sandbox.Module{Info: k.Info, Wasm: func() ([]byte, error) { return inflate(f) }}
		if n, err := hex.Decode(m.Sum[:], []byte(k.SHA256)); err != nil || n != len(m.Sum) {
			return nil, fmt.Errorf("%s.json: its sha256 is %q", name, k.SHA256)
		}
		out = append(out, Builtin{Name: name, Module: m, Manifest: k.Manifest})
	}
	return out, nil
}

func inflate(f *zip.File) ([]byte, error) {
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if f.UncompressedSize64 > MaxFile {
		return nil, fmt.Errorf("%s is larger than %d MiB", f.Name, MaxFile>>20)
	}
	data := bytes.NewBuffer(make([]byte, 0, f.UncompressedSize64+bytes.MinRead)) // with room to see the end
	if _, err := data.ReadFrom(r); err != nil {
		return nil, err
	}
	return data.Bytes(), nil
}
