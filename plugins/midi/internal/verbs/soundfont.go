package verbs

import (
	"fmt"
	"path"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/sf2"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

// Session lists the domain's own session actions.
func Session() []pdk.SessionAction[*song.Song] {
	return []pdk.SessionAction[*song.Song]{{Session: abi.Session{
		Name: "load-soundfont", Syntax: "load-soundfont PATH", Brief: "load-soundfont PATH · its presets become instruments",
		Summary:   "make the presets of a SoundFont (.sf2) instruments of this document, by their names; export wav plays with it",
		Resources: []abi.Resource{{Position: 1, Kind: abi.ResourceFile, Accept: []string{".sf2"}}},
	}, Run: loadFont}}
}

func loadFont(c *ctx, a pdk.Args, _ []byte) error {
	if len(a.Positionals) != 1 || len(a.Params) > 0 {
		e := pdk.Errorf("load-soundfont takes one path")
		if len(a.Positionals) > 1 { // a path with blanks and without quotes
			e.Tryf("load-soundfont %s", pdk.Quote(strings.Join(a.Texts(0), " ")))
		}
		return e
	}
	if file, err := c.Resource(a.Text(0)); err != nil {
		return err
	} else if file == nil {
		return pdk.Errorf("%s is not a file: write its path", pdk.Quote(a.Text(0))).Tryf("load-soundfont %s", pdk.Quote("./"+strings.TrimSuffix(a.Text(0), ".sf2")+".sf2"))
	}
	file, err := sf2.Read(sf2.From(c, a.Text(0)))
	if err != nil {
		return pdk.Errorf("%s: %v", a.Text(0), err)
	}
	font := &file.Font
	font.Path = a.Text(0)
	if font.Name == "" {
		font.Name = path.Base(font.Path)
	}
	for _, f := range c.Model.Fonts() {
		if f.Name == font.Name && f.Path == font.Path && fmt.Sprint(f.Presets) == fmt.Sprint(font.Presets) {
			return pdk.Unchanged("SoundFont %s is already loaded", pdk.Quote(song.Brief(font.Name, 80)))
		}
	}
	name := song.Brief(font.Name, 80)
	pdk.Check(c.Do(&song.LoadFont{Font: *font}, "SoundFont "+name))
	c.Created("SoundFont %s: %s, such as %s; instruments FILTER lists them, instrument:NAME plays them", name,
		pdk.Count(len(font.Presets), "instrument"), pdk.Quote(font.Presets[0].Name))
	c.Warn("a MIDI file keeps banks and programs, not names: load the SoundFont again when you open the file again")
	return nil
}

// maxPresets is how many presets of a font the help lists.
const maxPresets = 256

// Help lists the presets of the loaded SoundFonts.
func Help(s *song.Song) []abi.Section {
	if s == nil {
		return nil
	}
	var out []abi.Section
	for _, f := range s.Fonts() {
		sec := abi.Section{Title: "Instruments of " + song.Brief(f.Name, 80)}
		for i, p := range f.Presets {
			if i == maxPresets {
				sec.Lines = append(sec.Lines, fmt.Sprintf("and %d more: instruments FILTER", len(f.Presets)-i))
				break
			}
			sec.Lines = append(sec.Lines, fmt.Sprintf("%s (bank %d, program %d)", song.Brief(p.Name, 40), p.Bank, p.Program))
		}
		out = append(out, sec)
	}
	return out
}
