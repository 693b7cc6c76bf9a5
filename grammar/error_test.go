package grammar

import (
	"encoding/json"
	"testing"
)

func TestAnErrorIsAnObjectInJSON(t *testing.T) {
	got, err := json.Marshal(&Error{Message: "m", Raw: "r"})
	if want := `{"error":"m","raw":"r"}`; err != nil || string(got) != want {
		t.Errorf("an error marshals as %s (%v), want %s", got, err, want)
	}
}
