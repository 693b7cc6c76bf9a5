package mxfile

import (
	"bytes"
	"testing"

	"github.com/vmihailenco/msgpack/v5"
	"pgregory.net/rapid"
)

func TestAnEditWritesWhatMsgpackWrites(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.StringN(200, 300, -1))
	number := rapid.OneOf(rapid.IntRange(-200, 300), rapid.Int())
	step := rapid.Custom(func(t *rapid.T) Step {
		s := Step{Action: Action(number.Draw(t, "action")), Page: text.Draw(t, "page"), Cell: text.Draw(t, "cell"), Place: text.Draw(t, "place"),
			At: number.Draw(t, "at"), Old: text.Draw(t, "old"), New: text.Draw(t, "new")}
		if rapid.Bool().Draw(t, "has blob") {
			s.Blob = rapid.SliceOfN(rapid.Byte(), 0, 300).Draw(t, "blob")
		}
		return s
	})
	rapid.Check(t, func(t *rapid.T) {
		e := &Edit{Steps: rapid.SliceOfN(step, 0, 20).Draw(t, "steps"), Next: number.Draw(t, "next")}
		var buf bytes.Buffer
		enc := msgpack.NewEncoder(&buf)
		enc.SetSortMapKeys(true)
		enc.UseCompactInts(true)
		if err := enc.Encode(e); err != nil {
			t.Fatal(err)
		}
		if got := e.AppendMsgpack(nil); !bytes.Equal(got, buf.Bytes()) {
			t.Fatalf("% x\nmsgpack writes\n% x", got, buf.Bytes())
		}
	})
}
