package deck

import (
	"testing"

	"github.com/fcp-host/fcp-host/pdk/pdktest"
)

func TestTheManifestsExamplesWork(t *testing.T) {
	pdktest.Manifest(t, Domain())
	for _, v := range Domain().Verbs {
		for i, example := range v.Examples {
			doc := pdktest.OpenFolder(t, Domain(), nil, world())
			doc.Do(`add card "Set up the build" priority:low tags:auth`, `add card "Write the login page" text:"- [ ] form\n- [x] errors"`, `add doc docs/plan.md text:"# Plan\n\n## Risks\n\nFew."`)
			switch {
			case v.Name == "add":
				doc.Undo(3)
				if i == 1 {
					doc.Do(`add card "Set up the build"`)
				}
			case v.Name == "disconnect":
				doc.Do(`connect "Write the login page" -> "Set up the build"`)
			case v.Name == "repair":
				doc.Outside(Cards+"broken.md", []byte("---\ntitle: a: b\n---\n"))
			}
			doc.Do(example)
		}
	}
	pdktest.OpenFolder(t, Domain(), nil, world()).Do(Domain().Example...)
}
