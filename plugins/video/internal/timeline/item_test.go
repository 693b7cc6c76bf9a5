package timeline

import (
	"reflect"
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
)

func TestTheCachedItemOfANewClipEqualsTheParsedOne(t *testing.T) {
	d, live := Domain(), (*film.Film)(nil)
	save := d.Save
	d.Save = func(f *film.Film) ([]byte, error) {
		live = f
		return save(f)
	}
	for _, fps := range []string{"25", "29.97", "12.345", "1000/37"} {
		doc := pdktest.New(t, d, `"Demo" size:640x360 fps:`+fps, world())
		doc.Do("add clip ./vid1.mp4", "add clip ./cat.mp4 in:0.5s dur:1.234s volume:-3dB fit:cover", "add clip ./mute.mp4 fit:contain", "add clip ./logo.png dur:2s", "add clip ./phone.mov at:end+3s", "add audio ./music.mp3 in:3s until:end", "add audio ./voice.wav id:spoken")
		read, err := film.Open(string(doc.Save()))
		if err != nil {
			t.Fatal(err)
		}
		for i, track := range live.Parsed().Tracks {
			for k, it := range track.Items {
				known, fresh := *it, *read.Parsed().Tracks[i].Items[k]
				known.Node, fresh.Node = nil, nil
				if !reflect.DeepEqual(known, fresh) {
					t.Errorf("at %s fps\n%+v is known and\n%+v is read", fps, known, fresh)
				}
			}
		}
	}
}
