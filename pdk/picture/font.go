package picture

import (
	"sync"

	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"

	"github.com/fcp-host/fcp-host/pdk/svgdom"
	"github.com/fcp-host/fcp-host/pdk/vector"
)

// Ascent and descent of a line of text in font sizes, as given by the fonts.
const (
	Ascent  = svgdom.Ascent
	Descent = svgdom.Descent
)

// Advance returns the advance width of a character in the font for text, in font sizes.
func Advance(r rune, bold bool) float64 {
	f := typefaces()
	face := f.regular
	if bold {
		face = f.bold
	}
	if r >= 0 && int(r) < len(face.ascii) {
		return face.ascii[r]
	}
	return face.room(r)
}

// Holds reports whether the font for text has a character. For one that it lacks, a picture may show a similar one.
func Holds(r rune, bold bool) bool {
	f := typefaces()
	if bold {
		return f.bold.glyph(r) != 0
	}
	return f.regular.glyph(r) != 0
}

// typefaces reads the fonts once.
var typefaces = sync.OnceValue(func() fonts {
	return fonts{newTypeface(goregular.TTF), newTypeface(gobold.TTF)}
})

type fonts struct{ regular, bold *typeface }

// faces are the fonts, and the glyphs used so far.
type faces struct {
	fonts
	letters map[letterKey]*letter
}

type letterKey struct {
	r    rune
	bold bool
}

// letter is the glyph of a character: its outline in thousandths of the font size, with y downwards, and its advance
// width.
type letter struct {
	advance float64 // in font sizes
	outline []curve
	drawn   string // path data instead of an outline
	box     bool   // no font has it: draw a box
}

func newFaces() *faces {
	return &faces{fonts: typefaces(), letters: map[letterKey]*letter{}}
}

// letter returns the glyph of a character.
func (f *faces) letter(r rune, bold bool) *letter {
	key := letterKey{r, bold}
	l := f.letters[key]
	if l == nil {
		l = f.load(r, bold)
		f.letters[key] = l
	}
	return l
}

// width returns the advance width of a character, in font sizes.
func (f *faces) width(r rune, bold bool) float64 { return f.letter(r, bold).advance }

func (f *faces) load(r rune, bold bool) *letter {
	if zeroWidth(r) {
		return &letter{}
	}
	if s, ok := symbol(r); ok {
		return s
	}
	face := f.regular
	if bold {
		face = f.bold
	}
	l := &letter{advance: face.room(r)}
	if g := face.glyph(substitute(r)); g == 0 {
		l.box = true
	} else {
		l.outline = face.outline(nil, g, vector.Identity(), 0)
	}
	return l
}

// room returns the advance width of a character, in font sizes.
func (f *typeface) room(r rune) float64 {
	if zeroWidth(r) {
		return 0
	}
	if s, ok := symbol(r); ok {
		return s.advance
	}
	if g := f.glyph(substitute(r)); g != 0 {
		return f.advance(g) / 1000
	}
	return fallbackWidth(r)
}

// zeroWidth reports whether a character takes no room: joiners, combining marks, variation selectors, directions.
func zeroWidth(r rune) bool {
	return r < ' ' || r >= 0x300 && r < 0x370 || r >= 0x200b && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2060 && r <= 0x206f ||
		r >= 0x20d0 && r <= 0x20ff || r >= 0xfe00 && r <= 0xfe0f || r == 0xfeff || r >= 0x1f3fb && r <= 0x1f3ff || r >= 0xe0000 && r <= 0xe01ef
}

// fallbackWidth returns the width of a character that these fonts lack, with the estimate that the domains use.
func fallbackWidth(r rune) float64 {
	if r >= 0x1100 && r < 0xfb00 || r >= 0x1f000 {
		return 1
	}
	return 0.556
}

// substitute returns a character of the fonts that can replace one that they lack.
func substitute(r rune) rune {
	switch r {
	case 0x2010, 0x2011, 0x2043: // hyphens
		return '-'
	case 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a, 0x202f, 0x3000, 0xa0: // spaces
		return ' '
	case 0x2715, 0x2a2f:
		return '×'
	case 0x279c, 0x2794, 0x27f6, 0x2192, 0x279d, 0x279e, 0x27a1, 0x2b62:
		return '→'
	case 0x27f5, 0x2b05, 0x2b60:
		return '←'
	case 0x2b06:
		return '↑'
	case 0x2b07:
		return '↓'
	case 0x27f7, 0x2b0c:
		return '↔'
	case 0x25b6, 0x25b8, 0x23f5:
		return '►'
	case 0x25c0, 0x25c2, 0x23f4:
		return '◄'
	case 0x25b4:
		return '▲'
	case 0x25be:
		return '▼'
	case 0x25c7, 0x2b26:
		return '◊'
	case 0x2b24, 0x26ab, 0x23fa:
		return '●'
	case 0x26aa, 0x25ef:
		return '○'
	case 0x25fc, 0x25fe, 0x2b1b, 0x23f9:
		return '■'
	case 0x2610, 0x25fb, 0x25fd, 0x2b1c:
		return '□'
	case 0x266c:
		return '♫'
	case 0x2764, 0x2661:
		return '♥'
	case 0x2236:
		return ':'
	case 0x2217, 0x2731:
		return '*'
	case 0x223c, 0x301c, 0xff5e:
		return '~'
	}
	if r >= 0xff01 && r < 0xff5e { // the wide forms of ASCII
		return r - 0xff01 + '!'
	}
	return r
}

// symbol returns glyphs for characters that the fonts lack but drawings often contain. The data is in thousandths of the
// font size, y downwards from the baseline; parts with the opposite orientation are holes.
func symbol(r rune) (*letter, bool) {
	const (
		check = "M110 -330L190 -400L320 -250L620 -680L700 -630L330 -90Z"
		cross = "M100 -600L170 -670L350 -480L530 -670L600 -600L415 -408L600 -215L530 -145L350 -335L170 -145L100 -215L285 -408Z"
		star  = "M450 -740L545 -470L830 -465L602 -292L685 -20L450 -180L215 -20L298 -292L70 -465L355 -470Z"
	)
	d, advance := "", 0.8
	switch r {
	case '-': // the hyphen of the fonts is as wide as a minus
		d, advance = "M44 -316H289V-238H44Z", 0.333
	case 0x2713, 0x2714, 0x2705:
		d = check
	case 0x2611:
		d = "M60 -720H760V-20H60ZM120 -660V-80H700V-660ZM190 -350L250 -410L350 -290L570 -570L630 -520L355 -170Z"
	case 0x2717, 0x2718, 0x274c, 0x2716:
		d, advance = cross, 0.7
	case 0x2605, 0x2b50:
		d, advance = star, 0.9
	case 0x2606:
		d, advance = star+"M450 -590L410 -422L230 -415L365 -305L315 -140L450 -240L585 -140L535 -305L670 -415L490 -422Z", 0.9
	case 0x25c6, 0x2b25:
		d = "M400 -680L720 -350L400 -20L80 -350Z"
	case 0x21d2:
		d, advance = "M80 -480H610L480 -610L540 -660L850 -350L540 -40L480 -90L610 -220H80V-290H680L740 -350L680 -410H80Z", 0.95
	case 0x21d0:
		d, advance = "M870 -480H340L470 -610L410 -660L100 -350L410 -40L470 -90L340 -220H870V-290H270L210 -350L270 -410H870Z", 0.95
	case 0x21d4:
		d, advance = "M340 -480H710L600 -610L660 -660L970 -350L660 -40L600 -90L710 -220H340L450 -90L390 -40L80 -350L390 -660L450 -610ZM270 -410L210 -350L270 -290H780L840 -350L780 -410Z", 1.05
	case 0x26a0:
		d, advance = "M450 -740L860 -20H40ZM450 -600L160 -90H740ZM415 -450H485L470 -240H430ZM420 -190H480V-130H420Z", 0.9
	case 0x2295:
		d = "M400 -670A320 320 0 0 1 400 -30A320 320 0 0 1 400 -670ZM370 -605A257 257 0 0 0 145 -380H370ZM430 -605V-380H655A257 257 0 0 0 430 -605ZM145 -320A257 257 0 0 0 370 -95V-320ZM430 -320V-95A257 257 0 0 0 655 -320Z"
	case 0x2669: // a quarter note
		d, advance = "M330 -760H380V-110A135 95 -20 1 1 330 -190Z", 0.5
	case 0x266d: // flat
		d, advance = "M70 -760H120V-330C190 -400 330 -370 330 -260C330 -150 200 -70 70 20ZM120 -270V-60C200 -120 270 -190 270 -260C270 -320 170 -330 120 -270Z", 0.39
	case 0x266f: // sharp
		d, advance = "M120 -690H165V-490L295 -522V-730H340V-533L410 -550V-470L340 -453V-243L410 -260V-180L340 -163V40H295V-152L165 -120V80H120V-109L50 -92V-172L120 -189V-399L50 -382V-462L120 -479ZM165 -410V-200L295 -232V-442Z", 0.46
	case 0x266e: // natural
		d, advance = "M80 -740H125V-460L300 -505V60H255V-180L80 -135ZM125 -375V-235L255 -268V-408Z", 0.38
	default:
		return nil, false
	}
	return &letter{advance: advance, drawn: d}, true
}
