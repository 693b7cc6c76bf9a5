package plugin

import (
	"archive/zip"
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unsafe"
	"weak"

	"github.com/klauspost/compress/zstd"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/sandbox"
)

// A pack is a zip archive with two files for each module: midi.wasm.zst, and midi.json with what is known of it.
// Modules of one compiler share most of their code, so the first by name is the dictionary that compresses the others
// (raw content, RFC 8878, section 5). Equal modules give equal bytes.

// known is what a pack stores about a module besides its bytes.
type known struct {
	SHA256   string
	Info     sandbox.Info
	Manifest []byte
	Remote   bool // see Builtin
}

// Pack writes a pack of modules. It asks each module for its manifest, in the sandbox.
func Pack(ctx context.Context, w io.Writer, command []string, wasm ...[]byte) error {
	entries := make([]packEntry, len(wasm))
	if err := inParallel(len(wasm), func(i int) (err error) {
		entries[i], err = aboutModule(ctx, command, wasm[i])
		return err
	}); err != nil {
		return err
	}
	slices.SortFunc(entries, func(a, b packEntry) int { return cmp.Compare(a.name, b.name) })
	if err := inParallel(len(entries), func(i int) (err error) {
		var first []byte
		if i > 0 {
			first = entries[0].wasm
		}
		entries[i].packed, err = compress(entries[i].wasm, first)
		return err
	}); err != nil {
		return err
	}
	z := zip.NewWriter(w)
	for _, e := range entries {
		if err := add(z, e.name+packedExt, zip.Store, e.packed); err != nil {
			return err
		}
		if err := add(z, e.name+".json", zip.Deflate, e.about); err != nil {
			return err
		}
	}
	return z.Close()
}

// packEntry is a module to pack: its bytes, and the JSON of what is known of it.
type packEntry struct {
	name                string
	wasm, about, packed []byte
}

func aboutModule(ctx context.Context, command []string, wasm []byte) (packEntry, error) {
	m, err := sandbox.NewModule(wasm)
	if err != nil {
		return packEntry{}, err
	}
	d, manifest, err := ask(ctx, command, m)
	if err != nil {
		return packEntry{}, err
	}
	about, err := json.MarshalIndent(known{hex.EncodeToString(m.Sum[:]), m.Info, manifest, d.OpenWorld()}, "", " ")
	return packEntry{name: d.Name(), wasm: wasm, about: about}, err
}

// inParallel calls f with 0 to n−1 on all cores, and returns the error of the smallest number.
func inParallel(n int, f func(int) error) error {
	errs := make([]error, n)
	turn := make(chan struct{}, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for i := range n {
		turn <- struct{}{}
		wg.Go(func() {
			errs[i] = f(i)
			<-turn
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// packedExt is the extension of a module in a pack.
const packedExt = ".wasm.zst"

func add(z *zip.Writer, name string, method uint16, data []byte) error {
	f, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method})
	if err == nil {
		_, err = f.Write(data)
	}
	return err
}

// window is how far back a packed module may refer: to the start of the dictionary.
const window = 2 * MaxFile

// compress compresses a module to a zstd frame, with a dictionary unless that is empty.
func compress(wasm, dictionary []byte) ([]byte, error) {
	options := []zstd.EOption{zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(window), zstd.WithEncoderConcurrency(1)}
	if dictionary != nil {
		options = append(options, zstd.WithEncoderDictRaw(0, dictionary))
	}
	z, err := zstd.NewWriter(nil, options...)
	if err != nil {
		return nil, err
	}
	return z.EncodeAll(wasm, nil), nil
}

// ask returns the domain of a module, and its manifest as the module encodes it.
func ask(ctx context.Context, command []string, m *sandbox.Module) (d *domain.Domain, manifest []byte, err error) {
	box, err := sandbox.NewPlugin(sandbox.Config{Name: "module", Module: m, Command: command})
	if err != nil {
		return nil, nil, err
	}
	defer box.Close()
	if err := exports(m.Info); err != nil {
		return nil, nil, err
	}
	limits := sandbox.DefaultLimits()
	if manifest, err = box.Interpret(ctx, abi.ExportManifest, limits.Compile); err != nil {
		return nil, nil, err
	}
	d, err = describe(manifest, box)
	return d, manifest, err
}

// Unpack lists the modules in a pack, sorted by name. It decompresses a module when its bytes are read and nobody holds them,
// which takes about 2 ms a megabyte.
func Unpack(r io.ReaderAt, size int64) ([]Builtin, error) {
	z, err := zip.NewReader(r, size)
	if err != nil {
		return nil, err
	}
	var out []Builtin
	var first func() ([]byte, error)
	for _, f := range z.File {
		name, ok := strings.CutSuffix(f.Name, packedExt)
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
		dictionary := first
		m := &sandbox.Module{Info: k.Info, Scanned: true, Wasm: whileUsed(func() ([]byte, error) { return decompress(f, dictionary) })}
		if n, err := hex.Decode(m.Sum[:], []byte(k.SHA256)); err != nil || n != len(m.Sum) {
			return nil, fmt.Errorf("%s.json: its sha256 is %q", name, k.SHA256)
		}
		if first == nil {
			first = m.Wasm
		}
		out = append(out, Builtin{Name: name, Module: m, Manifest: k.Manifest, Remote: k.Remote})
	}
	return out, nil
}

// whileUsed returns a function that returns the bytes that get returned last without an error, as long as somebody holds them.
func whileUsed(get func() ([]byte, error)) func() ([]byte, error) {
	var mu sync.Mutex
	var held weak.Pointer[byte]
	var length int
	return func() ([]byte, error) {
		mu.Lock()
		defer mu.Unlock()
		if first := held.Value(); first != nil {
			return unsafe.Slice(first, length), nil
		}
		b, err := get()
		if err == nil && len(b) > 0 {
			held, length = weak.Make(&b[0]), len(b)
		}
		return b, err
	}
}

// decompress decompresses a module of a pack.
func decompress(f *zip.File, dictionary func() ([]byte, error)) ([]byte, error) {
	options := []zstd.DOption{zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(MaxFile), zstd.WithDecoderMaxWindow(window)}
	if dictionary != nil {
		first, err := dictionary()
		if err != nil {
			return nil, err
		}
		options = append(options, zstd.WithDecoderDictRaw(0, first))
	}
	r, err := f.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	packed, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	z, err := zstd.NewReader(nil, options...)
	if err != nil {
		return nil, err
	}
	defer z.Close()
	return z.DecodeAll(packed, nil)
}
