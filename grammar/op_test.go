package grammar

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestJSON(t *testing.T) {
	tests := []struct {
		name, in, want string
	}{
		{"empty lists are []", "undo",
			`{"verb":"undo","positionals":[],"params":{},"selectors":[],"arrows":[],"quoted":[],"raw":"undo","warnings":[]}`},
		{"positionals are strings and parameters an ordered object", `note Piano "C4" z:1 a:"2" <->`,
			`{"verb":"note","positionals":["Piano","C4","<->"],"params":{"z":"1","a":"2"},"selectors":[],"arrows":[2],` +
				`"quoted":[1],"raw":"note Piano \"C4\" z:1 a:\"2\" <->","warnings":[]}`},
		{"selectors", "remove @track:Piano @not:pitch:C4",
			`{"verb":"remove","positionals":[],"params":{},"selectors":[` +
				`{"raw":"@track:Piano","type":"track","value":"Piano","negated":false},` +
				`{"raw":"@not:pitch:C4","type":"pitch","value":"C4","negated":true}],` +
				`"arrows":[],"quoted":[],"raw":"remove @track:Piano @not:pitch:C4","warnings":[]}`},
		{"a block", "drums K\nend",
			`{"verb":"drums","positionals":["K"],"params":{},"selectors":[],"arrows":[],"quoted":[],"raw":"drums K\nend",` +
				`"warnings":[],"block":[]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			op, err := Parse(tt.in, testRules(t))
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			enc := json.NewEncoder(&b)
			enc.SetEscapeHTML(false)
			if err := enc.Encode(op); err != nil {
				t.Fatal(err)
			}
			if got := string(bytes.TrimSpace(b.Bytes())); got != tt.want {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
		})
	}
	got, err := json.Marshal(&Error{Message: "m", Raw: "r"})
	if want := `{"error":"m","raw":"r"}`; err != nil || string(got) != want {
		t.Errorf("an error marshals as %s (%v), want %s", got, err, want)
	}
}
