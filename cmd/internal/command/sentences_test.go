package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// asked is what the README says one can ask for, with a script of fcp-host exec that does it: the sentence's beginning, the domain, the
// script, and a part of its answer. The sentence for the first one is carried out in the README's transcript.
var asked = []struct {
	sentence, domain string
	script           string
	says             string
	writes           string
}{
	{sentence: "Draw our set-up"},
	{"Turn this Mermaid flowchart", "drawio", `:new drawio "Flow"
mermaid
flowchart TD
A[Order] --> B{In stock?}
B -- yes --> C[Ship]
B -- no --> D[Reorder]
D --> C
end mermaid
label Ship "Send it"
:save as:./plan.drawio`, "4s 4e", "plan.drawio"},
	{"Make all databases in plan.drawio green", "drawio", `:new drawio "Plan"
add svc Orders
add db OrderDB near:Orders
add db UserDB near:Orders
:save as:./plan.drawio
:close
:open ./plan.drawio
style @type:db theme:green
:export svg as:./plan.svg
:save`, "@ 2 shapes: theme:green", "plan.svg"},
	{"Make an 8-bar bossa in D minor", "midi", `:new midi "Bossa" tempo:132 key:D-minor
track add Drums ch:10
track add Bass instrument:acoustic-bass
track add Piano instrument:acoustic-grand-piano
beat Drums rimshot:x..x..x...x..x.. hihat:x.x.x.x.x.x.x.x. kick:x..xx..xx..xx..x count:8
progression Piano "Dm7 | Dm7 | Em7b5 | A7 | Dm7 | Gm7 | Em7b5 A7 | Dm6" rhythm:x..x..x...x..x.. voicing:lead
line Bass "D2 q., A2 e, A2 q., D2 e"
repeat @track:Bass count:7
:save as:./bossa.mid`, "[3t 360n tempo:132 4/4 D-minor 8bars]", "bossa.mid"},
	{"Transpose song.mid up a whole tone", "midi", `:new midi "Song"
track add Drums ch:10
track add Piano
beat Drums kick:x... count:1
note Piano C4
:save as:./song.mid
:close
:open ./song.mid
transpose +2 @all @not:channel:10
:save
?events Piano`, "note D4", "song.mid"},
	{"Draw an app icon", "svg", `:new svg "Moon" size:512x512
add rect sky at:0,0 size:512x512 rx:96 fill:#1d3557
add circle moon r:90 at:330,180 fill:#f1faee
add path sea d:"M0 360Q64 330 128 360T256 360T384 360T512 360V512H0Z" fill:#457b9d
copy sky as:round
clip edge round for:sea
:export png as:./icon.png width:256`, "icon.png", "icon.png"},
	{"Make chart.svg readable on a dark page", "svg", `:open ./chart.svg
style paper fill:#10151c
class grid stroke:#2b3642
style @type:text fill:#d7dee6
title "Sales by quarter"
?lint
:save`, "lint: nothing found", "chart.svg"},
	{"Cut beach.mp4 and boat.mp4 to a film of 30 seconds", "video", `:new video "Holiday" size:1920x1080 fps:25
media ./beach.mp4 duration:40s size:1920x1080 fps:25 sound:yes
media ./boat.mp4 duration:25s size:1920x1080 fps:25 sound:yes
add clip beach out:18s
add clip boat out:13s
add transition crossfade between:beach,boat duration:1s
overlay text "Summer" from:0s to:3s style:title-card
?duration
:save as:./holiday.otio`, "duration: 30s", "holiday.otio"},
	{"Plan the booking site as tasks in ./plan", "cuedeck", `:new cuedeck ./plan
add card "Data model" priority:high
add card "Booking API" depends:"Data model"
add card "Booking page" depends:"Booking API"
?next
:save`, `"Data model" high · 1 waits for it`, "plan/.cuedeck/config.toml"},
	{"Build an agent flow that answers questions about refunds", "flowise", `:new flowise "Desk" type:AGENTFLOW
add node startAgentflow
add node conditionAgentflow id:which conditions:'[{"type":"string","value1":"{{ question }}","operation":"contains","value2":"refund"}]'
add node directReplyAgentflow id:refund directReplyMessage:"Within 14 days."
connect Start -> which
connect which.0 -> refund
?validate
:save as:flow:Desk`, "a new AGENTFLOW called Desk", ""},
}

func TestWhatTheReadmeSaysOneCanAskForCanBeDone(t *testing.T) {
	var listed []string
	for _, m := range regexp.MustCompile(`(?m)^- ([A-Z].*\.)(?: \(.*\))?$`).FindAllStringSubmatch(strings.Split(page(t, "README.md"), "\n## ")[0], -1) {
		listed = append(listed, m[1])
	}
	if len(listed) != len(asked) {
		t.Fatalf("the README lists %d sentences, and %d are tried: %q", len(listed), len(asked), listed)
	}
	for i, a := range asked {
		if !strings.HasPrefix(listed[i], a.sentence) {
			t.Errorf("sentence %d is %q; tried is %q", i+1, listed[i], a.sentence)
		}
		if a.script == "" {
			continue
		}
		t.Run(a.sentence, func(t *testing.T) {
			dir := t.TempDir()
			put(t, dir, "chart.svg", page(t, "docs/svg-sales.svg"))
			put(t, dir, "beach.mp4", "")
			put(t, dir, "boat.mp4", "")
			put(t, dir, "script", a.script+"\n")
			args := []string{"exec", "--cache", testwasm.CacheDir(t), "--plugin", testwasm.Build(t, "plugins/"+a.domain)}
			switch a.domain {
			case "cuedeck":
				args = append(args, "--grant", "cuedeck=folder")
			case "flowise":
				given := withFlowise(t)
				i := slices.Index(given, "--tools") // of a server
				args = append([]string{"exec", "--cache", testwasm.CacheDir(t)}, slices.Delete(given, i, i+2)...)
			}
			c := exec.Command(testwasm.Host(t), append(args, "script")...)
			c.Dir = dir
			out, err := c.CombinedOutput()
			if err != nil || !strings.Contains(string(out), a.says) {
				t.Errorf("%v, and not %q:\n%s", err, a.says, out)
			}
			if info, err := os.Stat(filepath.Join(dir, a.writes)); err != nil || a.writes != "" && info.Size() == 0 {
				t.Errorf("%s: %v", a.writes, err)
			}
		})
	}
}
