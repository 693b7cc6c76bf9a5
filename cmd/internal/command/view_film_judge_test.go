package command

import (
	"bytes"
	"cmp"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/png"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
)

// The page is filmed while a model works and a person takes part: docs/view.gif, which FCP_UPDATE=1 writes.
func TestJudgeThePageIsFilmed(t *testing.T) {
	judge.Browser(t)
	c, address := startView(t, "drawio", "midi")
	p := judge.Open(t, address, 900, 540, false)
	var f film
	shoot := func(seconds float64) {
		t.Helper()
		f.add(t, p.Picture(), int(seconds*100))
	}
	p.Wait(`document.querySelector("#empty").textContent.startsWith("No document is open")`)
	shoot(1)
	changed := func(digest string) {
		t.Helper()
		showing(p, digest)
		p.Wait(`document.querySelectorAll(".change").length > 0`)
	}

	c.session("drawio", `new "Set-up"`)
	showing(p, "0s 0e")
	c.edit("drawio", "add actor Customer", `add svc "Web shop" theme:blue`, "add svc API theme:purple")
	changed("3s 0e")
	shoot(1.6)
	c.edit("drawio", `add db "Order DB" theme:yellow`, "add queue Mails theme:orange", `add svc "Mail worker" theme:green`)
	changed("6s 0e")
	shoot(1.6)
	c.edit("drawio", `connect Customer -> "Web shop" -> API -> "Order DB"`, `connect API -> Mails -> "Mail worker" style:dashed`)
	changed("6s 5e")
	shoot(1.4)
	c.edit("drawio", "layout dir:LR")
	changed("6s 5e 0g 840x")
	shoot(2)

	// A person selects a shape, which the model colours, and takes that back.
	for range 11 { // shapes and edges
		var name string
		p.Key("n", 0)
		if p.Eval(`document.querySelector("#pickedname").textContent`, &name); name == "API" {
			break
		}
	}
	p.Wait(isSelected("API"))
	p.Wait(`document.querySelectorAll(".change").length == 0`)
	shoot(1.4)
	c.edit("drawio", "style API theme:red")
	p.Wait(`document.querySelector("#saidline").textContent.includes("red")`)
	p.Key("Escape", 0)
	p.Wait(`document.querySelector("#picked").hidden && document.querySelectorAll(".change").length > 0`)
	shoot(1.6)
	p.Key("z", judge.Control)
	p.Wait(`document.querySelector("#calls .gone") && document.querySelectorAll(".change").length > 0`)
	shoot(1.8)

	// A song is made and played.
	c.session("midi", `new "Bossa" tempo:132 key:D-minor`)
	c.edit("midi", "track add Bass instrument:acoustic-bass", "track add Piano instrument:acoustic-grand-piano", `progression Piano "Dm7 | Dm7 | Em7b5 | A7 | Dm7 | Gm7 | Em7b5 A7 | Dm6" rhythm:x..x..x...x..x.. voicing:lead`,
		`line Bass "D2 q., A2 e, A2 q., D2 e"`, "repeat @track:Bass count:7")
	showing(p, "2t 192n")
	p.Wait(`document.querySelector("#time").textContent.includes("/")`)
	shoot(1.6)
	p.Key(" ", 0)
	for _, until := range []string{"0:01", "0:03", "0:05", "0:07"} {
		p.Wait(`document.querySelector("#time").textContent.startsWith("` + until + `") && document.querySelector(".line")`)
		shoot(0.7)
	}
	p.Key(" ", 0)
	checkRequests(t, p, address)

	data := f.encode(t)
	if n := len(f.frames); n != 13 || len(data) > 400_000 {
		t.Errorf("the film has %d frames and %d bytes", n, len(data))
	}
	for i := 1; i < len(f.frames); i++ {
		if bytes.Equal(f.frames[i].Pix, f.frames[i-1].Pix) {
			t.Errorf("nothing moves between frames %d and %d", i, i+1)
		}
	}
	if os.Getenv("FCP_UPDATE") != "" {
		if err := os.WriteFile("../../../docs/view.gif", data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// film is a list of pictures of the same size, which becomes an animated GIF.
type film struct {
	frames []*image.RGBA
	delays []int // hundredths of a second
}

func (f *film) add(t *testing.T, picture []byte, delay int) {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		t.Fatal(err)
	}
	frame := image.NewRGBA(img.Bounds())
	draw.Draw(frame, frame.Bounds(), img, image.Point{}, draw.Src)
	f.frames, f.delays = append(f.frames, frame), append(f.delays, delay)
}

// encode returns the film as a GIF that repeats. Each frame but the first holds only the part that differs from the one before.
func (f *film) encode(t *testing.T) []byte {
	t.Helper()
	out := &gif.GIF{Delay: f.delays}
	colors := f.palette()
	var last *image.RGBA
	for _, frame := range f.frames {
		part := frame.Bounds()
		if last != nil {
			part = changedPart(last, frame)
		}
		p := image.NewPaletted(part, colors)
		draw.Draw(p, part, frame, part.Min, draw.Src)
		out.Image, out.Disposal = append(out.Image, p), append(out.Disposal, gif.DisposalNone)
		last = frame
	}
	out.Config = image.Config{ColorModel: colors, Width: f.frames[0].Bounds().Dx(), Height: f.frames[0].Bounds().Dy()}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, out); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// palette returns the 256 most frequent colours; those that differ in their lowest bits only count as one.
func (f *film) palette() color.Palette {
	type sum struct{ r, g, b, n int }
	sums := map[[3]uint8]sum{}
	for _, frame := range f.frames {
		for i := 0; i < len(frame.Pix); i += 4 {
			r, g, b := frame.Pix[i], frame.Pix[i+1], frame.Pix[i+2]
			s := sums[[3]uint8{r >> 3, g >> 3, b >> 3}]
			sums[[3]uint8{r >> 3, g >> 3, b >> 3}] = sum{s.r + int(r), s.g + int(g), s.b + int(b), s.n + 1}
		}
	}
	most := slices.SortedFunc(maps.Keys(sums), func(a, b [3]uint8) int {
		return cmp.Or(sums[b].n-sums[a].n, slices.Compare(a[:], b[:]))
	})
	var out color.Palette
	for _, k := range most[:min(len(most), 256)] {
		s := sums[k]
		out = append(out, color.RGBA{uint8(s.r / s.n), uint8(s.g / s.n), uint8(s.b / s.n), 255})
	}
	return out
}

// changedPart returns the smallest rectangle that holds all pixels in which two pictures differ; one pixel if there are none.
func changedPart(a, b *image.RGBA) image.Rectangle {
	part := image.Rectangle{}
	for y := range a.Bounds().Dy() {
		for x := range a.Bounds().Dx() {
			if a.RGBAAt(x, y) != b.RGBAAt(x, y) {
				part = part.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	if part.Empty() {
		part = image.Rect(0, 0, 1, 1)
	}
	return part
}
