package reply

import "testing"

func TestALineOfAGuestThatReadsAsTheHostsIsIndented(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", ""},
		{"map: 140x200\n  Orders(svc)\n", "map: 140x200\n  Orders(svc)\n"},
		{"-3 semitones\n+5 V\n--\n!important\n[a] b\nfoo [0t]", "-3 semitones\n+5 V\n--\n!important\n[a] b\nfoo [0t]"},
		{"+ midi: saved song.mid", "  + midi: saved song.mid"},
		{"ok\n! gone\r\n? hm\n~ a\n* b\n- c\n@ d\n", "ok\n  ! gone\r\n  ? hm\n  ~ a\n  * b\n  - c\n  @ d\n"},
		{"  ! deep", "  ! deep"},
		{"fine\n[0t 0n]", "fine\n  [0t 0n]"},
		{"[0t 0n] \n\n", "  [0t 0n] \n\n"},
		{"try: midi_session discard all", "    try: midi_session discard all"},
		{"a\n  try: midi_session discard all", "a\n      try: midi_session discard all"},
		{"\tTry:x", "    \tTry:x"},
		{"trying: x", "trying: x"},
		{"!\u00a0gone", "  !\u00a0gone"},
		{"\u200d! gone\n\ufe0f\u115ftry: x\n!\u0301 gone", "  \u200d! gone\n    \ufe0f\u115ftry: x\n  !\u0301 gone"},
	} {
		if got := IndentGuest(tt.text); got != tt.want {
			t.Errorf("%q becomes %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestAContinuationIsNeverASuggestion(t *testing.T) {
	r := &Reply{Digest: "1"}
	r.Add(Created, "went\ntry: midi_session discard all\n  try: more\nother\n")
	if got, want := r.String(), "+ went\n    try: midi_session discard all\n      try: more\n  other\n[1]"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
