package conformance

import (
	"testing"

	"github.com/fcp-host/fcp-host/grammar"
)

func TestASuggestionStaysWithWhatWasNamed(t *testing.T) {
	describe := func(word string) string {
		return map[string]string{"Alpha": "Alpha is a box", "Piano": "Piano, a track", "p": "Piano, a track", "n33": "Alpha is another box", "n34": "User DB is a box"}[word]
	}
	deletes, changes := Effect{Deletes: true, Describe: describe}, Effect{Changes: true, Describe: describe}
	for _, c := range []struct {
		sent, suggested string
		did             Effect
		want            string
	}{
		{"remov Alpha", "remove Alpha", deletes, ""},
		{"delete Alpha", "remove Alpha", deletes, ""},
		{"remove Alpah", "remove Alpha", deletes, ""},
		{"remove @typ:svc", "remove @type:svc", deletes, ""},
		{"remove @type:scv", "remove @type:svc", deletes, ""},
		{"remove @al", "remove @all", deletes, ""},
		{"remove Piano", "remove @track:Piano", deletes, ""},
		{"remove @range:5-2.1", "remove @range:2.1-5", deletes, ""},
		{"remove Alpha extra", "remove Alpha", deletes, ""},
		{"remove Backend/Alpha extra", "remove Alpha", deletes, ""},
		{"remove Alpha", "remove n33", deletes, ""},
		{"remove UserDB", "remove n34", deletes, ""},
		{"remove A3", "track remove A3", deletes, ""},
		{"remove Beta", "remove n33", deletes, "deletes n33, which was not named"},
		{"bars delete 17", "bars delete 18", deletes, "deletes 18, which was not named"},
		{"disconnect Alpha > Piano", "disconnect Alpha -> Piano", deletes, ""},
		{"track remove Violin", "track remove Piano", deletes, "deletes Piano, which was not named"},
		{"remove", "remove @all", deletes, "acts on @all, which was not named"},
		{"remove @group:Frontend", "remove @group:Backend", deletes, "acts on @group:Backend, which was not named"},
		{"remove @track:Violin", "remove @track:Piano", deletes, "acts on @track:Piano, which was not named"},
		{"remove @velocity:loud", "remove @velocity:1-127", deletes, "acts on @velocity:1-127, which was not named"},
		{"remove @type:svc @zz:1", "remove @type:svc", deletes, "acts on more than was named"},
		{"rename Alpha Z", "remove Alpha", deletes, "deletes, which was not asked for"},
		{"style Alpha", "remove Alpha", deletes, "deletes, which was not asked for"},
		{"style Alpha colour:red", "style Alpha color:red", changes, ""},
		{"style Alpha", "style @all theme:blue", changes, "acts on @all, which was not named"},
		{"modify Violin name:x", "modify Piano name:x", changes, "changes Piano, which was not named"},
		{"velocity @track:Piano", "velocity p @track:Piano", changes, ""},
		{"modify piano name:x", "modify Piano name:x", changes, ""},
		{"resize Alpha abc", "resize Alpha 140x60", changes, ""},
		{"layout @zz:1", "layout", changes, "acts on more than was named"},
		{"add svc Q colour:red", "add svc Q", Effect{}, ""},
	} {
		sent, err1 := grammar.Parse(c.sent, grammar.Rules{})
		suggested, err2 := grammar.Parse(c.suggested, grammar.Rules{})
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if got := ExceedsRequest(&sent, &suggested, c.did); got != c.want {
			t.Errorf("%q for %q: %q, not %q", c.suggested, c.sent, got, c.want)
		}
	}
}
