package drawing

import (
	"bytes"
	"fmt"
	"image"
	imagecolor "image/color"
	"image/png"
	"maps"
	"math"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/vector"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
	"pgregory.net/rapid"
)

// librsvg renders a text, or returns why it cannot.
func librsvg(t *testing.T, program, text string, args ...string) ([]byte, error) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Stdin = strings.NewReader(text)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, stderr.Bytes())
	}
	return out.Bytes(), nil
}

// After any ops, a file must be well-formed and librsvg must render it.
func TestJudgeFilesStillRenderAfterRandomOps(t *testing.T) {
	program := judge.Program(t, "rsvg-convert")
	files := corpus(t)
	names := slices.Sorted(maps.Keys(files))
	r := rand.New(rand.NewPCG(8, 15))
	r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	rendered, broken, done := 0, 0, 0
	for i, name := range names[:300] {
		was := string(files[name])
		if strings.Contains(was, "<!ENTITY") || strings.Contains(name, "not-UTF-8") {
			continue
		}
		if _, err := librsvg(t, program, was); err != nil {
			continue // some files are wrong on purpose, or too large for librsvg
		}
		var ops []string
		text := rapid.Custom(func(rt *rapid.T) string {
			s := openSketch(t, name, files[name])
			g := &gen{t: rt, f: s.in.Model}
			ops = nil
			for range 12 {
				op := g.op()
				if r := s.try(op); r.Error == nil {
					ops = append(ops, op)
				}
			}
			return s.bytes()
		}).Example(i)
		done += len(ops)
		if err := wellFormed(text); err != nil {
			t.Errorf("%s after %q: %v\n%s", name, ops, err, text)
		}
		switch _, err := librsvg(t, program, text); {
		case err == nil:
			rendered++
		case strings.Contains(err.Error(), "panicked at"):
			t.Logf("librsvg itself fails at %s after %q", name, ops)
			broken++
		default:
			t.Errorf("%s after %q: %v\n%s", name, ops, err, text)
		}
	}
	t.Logf("%d files were drawn after %d ops", rendered, done)
	if rendered < 200 || broken > 3 {
		t.Errorf("only %d files were drawn, librsvg failed %d times", rendered, broken)
	}
}

// Pictures before and after an edit may differ only where the edited element was and
// where it is now.
func TestJudgeAnEditIsVisibleWhereItsElementLies(t *testing.T) {
	program := judge.Program(t, "rsvg-convert")
	files := corpus(t)
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(files)), func(name string) bool {
		return strings.HasPrefix(name, "text") || strings.HasPrefix(name, "filters")
	})
	r := rand.New(rand.NewPCG(16, 23))
	r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	edits, seen := 0, 0
	for _, name := range names {
		if edits == 120 {
			break
		}
		s := openSketch(t, name, files[name])
		f := s.in.Model()
		c := f.Scene().Canvas()
		var list []*node
		for _, n := range f.Shown(f.Scene()) {
			if isIndependent(f, n) {
				list = append(list, n)
			}
		}
		if len(list) == 0 || c.Width() != c.Height() || c.Width() < 20 {
			continue
		}
		n := list[r.IntN(len(list))]
		key, ref := n.Key, f.Ref(n)
		ops := []string{"style " + ref + " fill:lime", "style " + ref + " stroke:blue stroke-width:4", "style " + ref + " opacity:0.4", "move " + ref + " by:13,-7", "rotate " + ref + " 25", "scale " + ref + " 0.7", "skew " + ref + " x:12", "remove " + ref, "copy " + ref + " by:5,5", "order " + ref + " front"}
		op := ops[r.IntN(len(ops))]
		before, err := librsvg(t, program, s.bytes(), "-w", "400", "-h", "400")
		if err != nil {
			continue
		}
		room, _ := f.Scene().Painted(n)
		if result := s.try(op); result.Error != nil || len(result.Events) == 0 {
			continue
		}
		after, err := librsvg(t, program, s.bytes(), "-w", "400", "-h", "400")
		if err != nil {
			t.Errorf("%s: %s: %v", name, op, err)
			continue
		}
		for _, m := range []*node{f.Node(key), f.Node(lastKey(f))} {
			if m != nil {
				if b, ok := f.Scene().Painted(m); ok {
					room = room.Union(b)
				}
			}
		}
		edits++
		scale := 400 / c.Width()
		room = vector.Box{X0: (room.X0-c.X0)*scale - 2, Y0: (room.Y0-c.Y0)*scale - 2, X1: (room.X1-c.X0)*scale + 2, Y1: (room.Y1-c.Y0)*scale + 2}
		inside, outside, first := changed(t, before, after, room)
		if outside > 0 {
			t.Errorf("%s: %s changes %d pixels outside of %.1f, such as that at %v", name, op, outside, room, first)
		}
		if inside > 0 {
			seen++
		}
	}
	t.Logf("%d edits, %d of them seen", edits, seen)
	if edits < 100 || seen < 60 {
		t.Errorf("only %d edits, of which %d are seen", edits, seen)
	}
}

// isIndependent reports whether a shape is drawn only by itself: nothing refers to it
// or to its ancestors, and no filter, mask or clip path changes it.
func isIndependent(f *model.Drawing, n *node) bool {
	sc := f.Scene()
	for m := n; m != nil; m = m.Parent {
		if len(f.Referrers(m.ID())) > 0 || m.Type == "switch" {
			return false
		}
		for _, p := range []string{"filter", "mask", "clip-path"} {
			if v, from := sc.Own(m, p); from != svgdom.Nowhere && v != "none" {
				return false
			}
		}
	}
	typ := n.Type
	return svgdom.Shape(typ) && n.First == nil
}

// lastKey returns the key of the newest element.
func lastKey(f *model.Drawing) (key int) {
	for n := range f.Root.All() {
		key = max(key, n.Key)
	}
	return key
}

// changed counts the pixels that differ visibly between two pictures, inside and
// outside of a box.
func changed(t *testing.T, before, after []byte, room vector.Box) (inside, outside int, first image.Point) {
	t.Helper()
	a, err := png.Decode(bytes.NewReader(before))
	if err != nil {
		t.Fatal(err)
	}
	b, err := png.Decode(bytes.NewReader(after))
	if err != nil {
		t.Fatal(err)
	}
	if a.Bounds() != b.Bounds() {
		t.Fatalf("%v and %v", a.Bounds(), b.Bounds())
	}
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			p, q := imagecolor.RGBAModel.Convert(a.At(x, y)).(imagecolor.RGBA), imagecolor.RGBAModel.Convert(b.At(x, y)).(imagecolor.RGBA)
			far := max(math.Abs(float64(p.R)-float64(q.R)), math.Abs(float64(p.G)-float64(q.G)), math.Abs(float64(p.B)-float64(q.B)), math.Abs(float64(p.A)-float64(q.A)))
			switch {
			case far <= 8:
			case float64(x)+1 >= room.X0 && float64(x) <= room.X1 && float64(y)+1 >= room.Y0 && float64(y) <= room.Y1:
				inside++
			default:
				if outside++; outside == 1 {
					first = image.Pt(x, y)
				}
			}
		}
	}
	return inside, outside, first
}
