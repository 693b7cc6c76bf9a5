package domain

import (
	"testing"

	"github.com/fcp-host/fcp-host/abi"
)

func TestADomainReachesTheFilesThatItDeclares(t *testing.T) {
	reader := &Domain{Manifest: &abi.Manifest{
		Verbs:   []abi.Verb{{Resources: []abi.Resource{{Kind: abi.ResourceFile, Accept: []string{".WAV"}}, {Kind: abi.ResourceProbe, Accept: []string{".mp4"}}}}},
		Session: []abi.Session{{Resources: []abi.Resource{{Kind: abi.ResourceBytes, Accept: []string{".srt"}}}}},
	}}
	reader.sumResources()
	other := &Domain{Manifest: &abi.Manifest{}}
	other.sumResources()
	for name, want := range map[string]struct{ reads, accepts, media bool }{
		"": {true, false, false}, "a.wav": {true, true, false}, "B.MP4": {false, true, true}, "c.srt": {false, true, false}, "d.txt": {},
	} {
		if reads, accepts, media := reader.ReadsFiles(name), reader.AcceptsFile(name), reader.AcceptsMedia(name); reads != want.reads || accepts != want.accepts || media != want.media {
			t.Errorf("%q: reads %v, accepts %v, as media %v", name, reads, accepts, media)
		}
		if other.ReadsFiles(name) || other.AcceptsFile(name) || other.AcceptsMedia(name) {
			t.Errorf("%q: a domain that declares nothing reaches it", name)
		}
	}
}
