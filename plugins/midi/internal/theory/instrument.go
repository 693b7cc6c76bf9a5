package theory

import (
	"strconv"
	"strings"
)

// instruments are the General MIDI sounds of programs 0 to 127.
var instruments = [128]string{
	"acoustic-grand-piano", "bright-acoustic-piano", "electric-grand-piano", "honky-tonk-piano", "electric-piano-1", "electric-piano-2", "harpsichord", "clavinet",
	"celesta", "glockenspiel", "music-box", "vibraphone", "marimba", "xylophone", "tubular-bells", "dulcimer",
	"drawbar-organ", "percussive-organ", "rock-organ", "church-organ", "reed-organ", "accordion", "harmonica", "tango-accordion",
	"acoustic-guitar-nylon", "acoustic-guitar-steel", "electric-guitar-jazz", "electric-guitar-clean", "electric-guitar-muted", "overdriven-guitar", "distortion-guitar", "guitar-harmonics",
	"acoustic-bass", "electric-bass-finger", "electric-bass-pick", "fretless-bass", "slap-bass-1", "slap-bass-2", "synth-bass-1", "synth-bass-2",
	"violin", "viola", "cello", "contrabass", "tremolo-strings", "pizzicato-strings", "orchestral-harp", "timpani",
	"string-ensemble-1", "string-ensemble-2", "synth-strings-1", "synth-strings-2", "choir-aahs", "voice-oohs", "synth-voice", "orchestra-hit",
	"trumpet", "trombone", "tuba", "muted-trumpet", "french-horn", "brass-section", "synth-brass-1", "synth-brass-2",
	"soprano-sax", "alto-sax", "tenor-sax", "baritone-sax", "oboe", "english-horn", "bassoon", "clarinet",
	"piccolo", "flute", "recorder", "pan-flute", "blown-bottle", "shakuhachi", "whistle", "ocarina",
	"lead-1-square", "lead-2-sawtooth", "lead-3-calliope", "lead-4-chiff", "lead-5-charang", "lead-6-voice", "lead-7-fifths", "lead-8-bass-lead",
	"pad-1-new-age", "pad-2-warm", "pad-3-polysynth", "pad-4-choir", "pad-5-bowed", "pad-6-metallic", "pad-7-halo", "pad-8-sweep",
	"fx-1-rain", "fx-2-soundtrack", "fx-3-crystal", "fx-4-atmosphere", "fx-5-brightness", "fx-6-goblins", "fx-7-echoes", "fx-8-sci-fi",
	"sitar", "banjo", "shamisen", "koto", "kalimba", "bagpipe", "fiddle", "shanai",
	"tinkle-bell", "agogo", "steel-drums", "woodblock", "taiko-drum", "melodic-tom", "synth-drum", "reverse-cymbal",
	"guitar-fret-noise", "breath-noise", "seashore", "bird-tweet", "telephone-ring", "helicopter", "applause", "gunshot",
}

// families are the 16 General MIDI groups of eight programs, in order.
var families = [16]string{"piano", "chromatic-percussion", "organ", "guitar", "bass", "strings", "ensemble", "brass",
	"reed", "pipe", "synth-lead", "synth-pad", "synth-effects", "ethnic", "percussive", "sound-effects"}

// instrumentAliases maps common names to General MIDI sounds.
var instrumentAliases = [...]struct {
	name    string
	program int
}{
	{"piano", 0}, {"grand-piano", 0}, {"acoustic-piano", 0}, {"bright-piano", 1}, {"honky-tonk", 3}, {"electric-piano", 4}, {"rhodes", 4},
	{"e-piano", 4}, {"ep", 4}, {"dx-piano", 5}, {"clav", 7}, {"celeste", 8}, {"vibes", 11}, {"bells", 14}, {"organ", 16}, {"hammond", 16},
	{"pipe-organ", 19}, {"harmonium", 20}, {"bandoneon", 23}, {"guitar", 24}, {"nylon-guitar", 24}, {"classical-guitar", 24},
	{"acoustic-guitar", 25}, {"steel-guitar", 25}, {"jazz-guitar", 26}, {"clean-guitar", 27}, {"electric-guitar", 27}, {"muted-guitar", 28},
	{"overdrive-guitar", 29}, {"distorted-guitar", 30}, {"bass", 33}, {"upright-bass", 32}, {"double-bass", 43}, {"electric-bass", 33},
	{"bass-guitar", 33}, {"finger-bass", 33}, {"pick-bass", 34}, {"picked-bass", 34}, {"fretless", 35}, {"slap-bass", 36}, {"synth-bass", 38},
	{"string-bass", 43}, {"pizzicato", 45}, {"harp", 46}, {"strings", 48}, {"string-ensemble", 48}, {"slow-strings", 49},
	{"synth-strings", 50}, {"choir", 52}, {"aahs", 52}, {"oohs", 53}, {"voice", 53}, {"horn", 60}, {"horns", 60}, {"brass", 61},
	{"synth-brass", 62}, {"sax", 66}, {"saxophone", 66}, {"soprano-saxophone", 64}, {"alto-saxophone", 65}, {"tenor-saxophone", 66},
	{"baritone-saxophone", 67}, {"cor-anglais", 69}, {"lead", 80}, {"synth-lead", 80}, {"square-lead", 80}, {"saw-lead", 81}, {"sawtooth-lead", 81},
	{"lead-1", 80}, {"lead-2", 81}, {"lead-3", 82}, {"lead-4", 83}, {"lead-5", 84}, {"lead-6", 85}, {"lead-7", 86}, {"lead-8", 87},
	{"pad", 88}, {"synth-pad", 88}, {"new-age-pad", 88}, {"warm-pad", 89}, {"polysynth", 90}, {"choir-pad", 91},
	{"pad-1", 88}, {"pad-2", 89}, {"pad-3", 90}, {"pad-4", 91}, {"pad-5", 92}, {"pad-6", 93}, {"pad-7", 94}, {"pad-8", 95},
	{"fx-1", 96}, {"fx-2", 97}, {"fx-3", 98}, {"fx-4", 99}, {"fx-5", 100}, {"fx-6", 101}, {"fx-7", 102}, {"fx-8", 103},
	{"thumb-piano", 108}, {"bagpipes", 109}, {"steel-drum", 114}, {"steel-pan", 114}, {"taiko", 116}, {"birds", 123}, {"telephone", 124},
}

// Kit is a drum kit of the drum channel and its program, as in GM2 and GS.
type Kit struct {
	Name    string
	Program int
}

var kits = [...]Kit{{"standard-kit", 0}, {"room-kit", 8}, {"power-kit", 16}, {"electronic-kit", 24}, {"tr-808-kit", 25},
	{"jazz-kit", 32}, {"brush-kit", 40}, {"orchestra-kit", 48}, {"sound-effects-kit", 56}}

var kitAliases = [...]Kit{{"drum-kit", 0}, {"drums", 0}, {"drumkit", 0}, {"drum-set", 0}, {"percussion", 0}, {"rock-kit", 16}, {"808-kit", 25},
	{"808", 25}, {"analog-kit", 25}, {"synth-kit", 24}, {"brushes", 40}, {"orchestral-kit", 48}, {"sfx-kit", 56}}

// Sound is the sound that an instrument's name stands for.
type Sound struct {
	Name    string // the General MIDI name
	Program int    // 0-127
	Bank    int    // bank select, 14 bits; 0 for General MIDI
	Drums   bool   // a drum kit, for DrumChannel
	Guessed bool   // the name was only part of the sound's name; tell the client
}

// FindInstrument looks up a name: a General MIDI name, an alias, a drum kit, a family
// (its first sound) or, as a guess, a part of exactly one name. If nothing matches, ok
// is false and near lists close names, or the names that contain it.
func FindInstrument(name string) (s Sound, near []string, ok bool) {
	want := Folded(name)
	if want == "" {
		return Sound{}, nil, false
	}
	for i, n := range instruments {
		if sameName(n, name) {
			return Sound{Name: n, Program: i}, nil, true
		}
	}
	for _, a := range instrumentAliases {
		if sameName(a.name, name) {
			return Sound{Name: instruments[a.program], Program: a.program}, nil, true
		}
	}
	for _, table := range [][]Kit{kits[:], kitAliases[:]} {
		for _, k := range table {
			if sameName(k.Name, name) {
				return Sound{Name: KitName(k.Program), Program: k.Program, Drums: true}, nil, true
			}
		}
	}
	for i, f := range families {
		if sameName(f, name) {
			return Sound{Name: instruments[8*i], Program: 8 * i, Guessed: true}, nil, true
		}
	}
	var hits []int
	for i, n := range instruments {
		if strings.Contains(Folded(n), want) {
			hits = append(hits, i)
		}
	}
	if len(hits) == 1 && len(want) >= 3 {
		return Sound{Name: instruments[hits[0]], Program: hits[0], Guessed: true}, nil, true
	}
	for i := 0; i < len(hits) && i < 5; i++ {
		near = append(near, instruments[hits[i]])
	}
	return Sound{}, near, false
}

// InstrumentName returns the General MIDI name of a program, 0-127.
func InstrumentName(program int) string { return instruments[program&0x7F] }

// KitName returns the name of a drum kit's program, or "kit-N".
func KitName(program int) string {
	for _, k := range kits {
		if k.Program == program {
			return k.Name
		}
	}
	return "kit-" + strconv.Itoa(program)
}

// Instruments lists the 128 General MIDI names in order of their programs.
func Instruments() []string { return append([]string(nil), instruments[:]...) }

// Kits lists the drum kits.
func Kits() []Kit { return append([]Kit(nil), kits[:]...) }

// InstrumentNames lists every full name that FindInstrument knows.
func InstrumentNames() []string {
	out := Instruments()
	for _, a := range instrumentAliases {
		out = append(out, a.name)
	}
	for _, k := range kits {
		out = append(out, k.Name)
	}
	return out
}

// Family returns the General MIDI group of a program.
func Family(program int) string { return families[program>>3&0xF] }
