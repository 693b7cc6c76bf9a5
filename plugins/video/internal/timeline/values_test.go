package timeline

import (
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
)

// A name of a colour means CSS's in an op. In a file it is what it was when names had other values.
func TestNamesOfColours(t *testing.T) {
	for name, want := range map[string][2]string{ // in an op, in a file
		"green": {"#008000", "#00a000"}, "Orange": {"#ffa500", "#ff8000"}, "pink": {"#ffc0cb", "#ff80c0"}, "brown": {"#a52a2a", "#804000"}, "gold": {"#ffd700", "#ffc000"},
		"teal": {"#008080", "#008080"}, "rebeccapurple": {"#663399", "#663399"}, "#0f8": {"#00ff88", "#00ff88"}, "rgb(1,2,3)": {"#010203", "#010203"},
	} {
		doc := pdktest.New(t, Domain(), "")
		doc.Do("overlay text Hi id:hi color:"+`"`+name+`"`, `project background:"`+name+`"`)
		file := string(doc.Save())
		if n := strings.Count(file, want[0]); n != 2 {
			t.Errorf("%s is %s %d times:\n%s", name, want[0], n, file)
		}
		f, err := film.Open(strings.ReplaceAll(file, want[0], name))
		if err != nil {
			t.Fatal(err)
		}
		p, err := project(f)
		if err != nil {
			t.Fatal(err)
		}
		if p.Background != want[1] || p.Texts[0].Color != want[1] {
			t.Errorf("a file's %s is rendered as %s and %s, want %s", name, p.Background, p.Texts[0].Color, want[1])
		}
	}
}

func TestOlderNamesOfRegionsAreRead(t *testing.T) {
	for text, want := range map[string]string{"middle-left": "left", "bottom-center": "bottom", "centre": "center", "top-right": "top-right"} {
		doc := cut(t)
		if got := doc.Do("overlay text Hi pos:" + text); !strings.HasSuffix(got, " "+want) {
			t.Errorf("pos:%s: %s", text, got)
		}
	}
}
