// Package formats lists the formats that a song can be exported to.
package formats

import (
	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	pixels "github.com/fcp-host/fcp-host/pdk/picture"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/abc"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/musicxml"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/picture"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/score"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
)

type format = pdk.Format[*song.Song]

// All lists the formats.
func All() []format {
	return []format{
		{Format: abi.Format{Name: "musicxml", Extension: ".musicxml", MIME: "application/vnd.recordare.musicxml+xml",
			Summary: "sheet music for notation programs, to the nearest 32nd or triplet; chords:on with chord symbols"}, Params: []string{"chords"}, Write: sheetWriter(musicxml.Write)},
		{Format: abi.Format{Name: "abc", Extension: ".abc", MIME: "text/vnd.abc", Summary: "sheet music as text"}, Params: []string{"chords"}, Write: sheetWriter(abc.Write)},
		{Format: abi.Format{Name: "csv", Extension: ".csv", MIME: "text/csv", Summary: "every event, a line each, for spreadsheets"}, Write: func(s *song.Song, _ pdk.Args) ([]byte, error) {
			return eventTable(s), nil
		}},
		{Format: abi.Format{Name: "svg", Extension: ".svg", MIME: "image/svg+xml", Summary: "a piano roll of the whole song; width:PIXELS"}, Params: []string{"width"}, Write: writePicture},
		{Format: abi.Format{Name: "png", Extension: ".png", MIME: "image/png", Summary: "the same picture as a PNG"}, Params: []string{"width"}, Write: writePixels},
		{Format: abi.Format{Name: "wav", Extension: ".wav", MIME: "audio/wav", Summary: "sound, played with a SoundFont 2: soundfont:PATH, or the one loaded; rate:44100 gain:1"}, Params: []string{"soundfont", "rate", "gain"}, Run: writeSound},
	}
}

// sheetWriter makes a writer of sheet music.
func sheetWriter(write func(*score.Score) []byte) func(*song.Song, pdk.Args) ([]byte, error) {
	return func(s *song.Song, a pdk.Args) ([]byte, error) {
		chords := a.String("chords", "off")
		if chords != "on" && chords != "off" {
			return nil, pdk.Errorf("chords:%s is neither on nor off", chords)
		}
		sc, err := score.Of(s, chords == "on")
		if err != nil {
			return nil, err
		}
		return write(sc), nil
	}
}

func writePicture(s *song.Song, a pdk.Args) ([]byte, error) {
	width, err := a.Int("width", picture.Width(s, 0, s.End()), picture.MinWidth, picture.MaxWidth)
	if err != nil {
		return nil, err
	}
	return picture.Draw(s, 0, s.End(), width), nil
}

func writePixels(s *song.Song, a pdk.Args) ([]byte, error) {
	width, err := a.Int("width", min(picture.Width(s, 0, s.End()), pixels.MaxWidth), picture.MinWidth, pixels.MaxWidth)
	if err != nil {
		return nil, err
	}
	return pixels.PNG(picture.Draw(s, 0, s.End(), width), width)
}
