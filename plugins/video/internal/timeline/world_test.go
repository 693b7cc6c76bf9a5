package timeline

import (
	"fmt"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

// probeOutput is what ffprobe prints about a film with sound.
func probeOutput(seconds float64, w, h int, fps string) string {
	return fmt.Sprintf(`{"streams":[{"codec_type":"video","codec_name":"h264","width":%d,"height":%d,"avg_frame_rate":%q,"r_frame_rate":%q,"duration":"%.6f"},{"codec_type":"audio","sample_rate":"48000","duration":"%.6f"}],"format":{"format_name":"mov,mp4","duration":"%.6f"}}`, w, h, fps, fps, seconds, seconds, seconds)
}

// world has media, and an ffmpeg that outputs a picture.
func world() *pdktest.World {
	return &pdktest.World{
		Probes: map[string]string{
			"./vid1.mp4":  probeOutput(50, 1920, 1080, "30/1"),
			"./vid2.mp4":  probeOutput(43.5, 1920, 1080, "30/1"),
			"./cat.mp4":   probeOutput(4, 1280, 960, "25/1"),
			"./mute.mp4":  `{"streams":[{"codec_type":"video","width":1920,"height":1080,"avg_frame_rate":"30/1","duration":"10.000000"}],"format":{"format_name":"mov,mp4","duration":"10.000000"}}`,
			"./phone.mov": `{"streams":[{"codec_type":"video","width":1920,"height":1080,"avg_frame_rate":"30000/1001","duration":"8.008000","side_data_list":[{"rotation":-90}]},{"codec_type":"audio","sample_rate":"44100"}],"format":{"format_name":"mov,mp4","duration":"8.010000"}}`,
			"./music.mp3": `{"streams":[{"codec_type":"audio","sample_rate":"44100","duration":"120.5"},{"codec_type":"video","width":500,"height":500,"avg_frame_rate":"0/0","disposition":{"attached_pic":1}}],"format":{"format_name":"mp3","duration":"120.5"}}`,
			"./voice.wav": `{"streams":[{"codec_type":"audio","sample_rate":"48000"}],"format":{"format_name":"wav","duration":"12.000000"}}`,
			"./logo.png":  `{"streams":[{"codec_type":"video","codec_name":"png","width":200,"height":100,"avg_frame_rate":"25/1"}],"format":{"format_name":"png_pipe"}}`,
			"./notes.mp4": `{"streams":[{"codec_type":"data"}],"format":{"format_name":"mov,mp4","duration":"1"}}`,
		},
		Files:    map[string][]byte{"./talk.srt": []byte("\uFEFF1\r\n00:00:01,000 --> 00:00:02,500\r\n<i>Hello</i>\r\nyou\r\n\r\n2\r\n00:00:03,000 --> 00:00:04,000\r\nBye\r\n\r\n3\r\n00:00:05,000 --> 00:00:05,000\r\nnever\r\n"), "./empty.srt": []byte("nothing")},
		Programs: map[string]func(*abi.Run) ([]byte, error){"ffmpeg": func(*abi.Run) ([]byte, error) { return []byte("\x89PNG\r\n\x1a\n"), nil }},
	}
}

// cut is a film of two clips, a crossfade and a title.
func cut(t testing.TB) *pdktest.Doc {
	t.Helper()
	doc := pdktest.New(t, Domain(), `"Demo"`, world())
	doc.Do("add clip ./vid1.mp4 at:0s", "add clip ./vid2.mp4 at:end:vid1", "add transition crossfade between:vid1,vid2 duration:1.5s", `overlay text "Funny Animals" from:10s to:15s style:title-card`)
	return doc
}
