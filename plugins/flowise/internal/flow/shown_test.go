package flow

import (
	"bytes"
	"encoding/xml"
	"io"
	"testing"

	"github.com/fcp-host/fcp-host/internal/flowise"
	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

func TestTheViewShowsTheAreasOfNodes(t *testing.T) {
	doc := chat(t)
	doc.Do("modify memory at:600,50")
	if got, want := doc.Areas(), "model 0,0 300x600 | chain 380,0 300x500 | memory 600,50 300x330; changed: memory"; got != want {
		t.Errorf("areas are\n%s, want\n%s", got, want)
	}
}

// A label may have characters that XML cannot hold.
func TestAPictureIsXMLWhateverTheLabels(t *testing.T) {
	doc := pdktest.New(t, Domain(), `"T" type:AGENTFLOW`, world(&flowise.Server{}))
	doc.Do("add node startAgentflow", "modify startAgentflow_0 label:\"a\x01b\ufffe<&>\"")
	d := xml.NewDecoder(bytes.NewReader(doc.QueryContent("preview format:svg")[0].Data))
	for {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}
