package formats

import (
	"fmt"
	"strconv"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/sf2"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/song"
	"github.com/fcp-host/fcp-host/plugins/midi/internal/sound"
)

// Limits of an export to wav.
const (
	usualRate = 44100
	parts     = 80 // most parts of a song; a part of a longer song lasts more than shortest
	shortest  = 4  // seconds of a part
	longest   = 30 // seconds of a part: one call must be able to render it, and one message to hold it
)

// writeSound plays the song with a SoundFont that the user names. It reads the
// SoundFont and writes the sound in pieces.
func writeSound(v *pdk.View[*song.Song], a pdk.Args) (out abi.SaveResponse, err error) {
	path := a.String("soundfont", "")
	if fonts := v.Model.Fonts(); path == "" && len(fonts) > 0 {
		path = fonts[len(fonts)-1].Path
	}
	if path == "" {
		return out, pdk.Errorf("export wav needs a SoundFont 2 to play with: soundfont:PATH, or load-soundfont PATH before").
			TryAction("export wav soundfont:./FONT.sf2 as:./SONG.wav")
	}
	rate, err := a.Int("rate", usualRate, 16000, 48000)
	if err != nil {
		return out, err
	}
	gain, err := strconv.ParseFloat(a.String("gain", "1"), 64)
	if err != nil || !(gain >= 0.01 && gain <= 10) {
		return out, pdk.Errorf("gain:%s is not 0.01 to 10", a.String("gain", ""))
	}
	if v.Model.Notes() == 0 {
		return out, pdk.Errorf("there are no notes to play")
	}
	f, err := sf2.Read(sf2.From(v, path))
	if err != nil {
		return out, pdk.Errorf("%s: %v", path, err)
	}
	if seconds, most := v.Model.Tempo(nil).Seconds(v.Model.End()), parts*longest; seconds > float64(most) {
		return out, pdk.Errorf("the song is %.0f minutes long, and export wav writes %d: write it in parts", seconds/60, most/60)
	}
	player, err := sound.New(v.Model, f, rate, gain)
	if err != nil {
		return out, pdk.Errorf("%s: %v", path, err)
	}
	frames := int(max(shortest, player.Seconds()/parts) * float64(rate))
	var data []byte
	for more := true; more; {
		data, more = player.Play(data[:0], frames)
		if err := v.Part(data); err != nil {
			return out, err
		}
	}
	out.Data = sound.Head(rate, 4*player.Frames())
	if n := player.Clipped(); n > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("%s louder than a file can hold, and cut off: gain:%.2g is softer", pdk.Count(n, "sample"), gain*0.7))
	}
	return out, nil
}
