package diagram

import (
	"fmt"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
)

// batch parses ops once.
func batch(b *testing.B, d *doc, n int, format func(i int) string) []abi.Op {
	b.Helper()
	ops := make([]abi.Op, n)
	for i := range ops {
		op, err := d.op(format(i))
		if err != nil {
			b.Fatal(err)
		}
		ops[i] = op
	}
	return ops
}

// apply runs a batch through the codec, as the sandbox does.
func apply(b *testing.B, d *doc, ops []abi.Op) {
	b.Helper()
	in, err := abi.Marshal(&abi.ApplyRequest{Ops: ops})
	if err != nil {
		b.Fatal(err)
	}
	out, err := d.in.Call(abi.ExportApply, in)
	if err != nil {
		b.Fatal(err)
	}
	var res abi.ApplyResponse
	if err := abi.Unmarshal(out, &res); err != nil {
		b.Fatal(err)
	}
	if last := res.Results[len(res.Results)-1]; last.Error != nil {
		b.Fatalf("%s: %s", ops[len(res.Results)-1].Raw, last.Error.Message)
	}
}

func node(i int) string { return fmt.Sprintf("add svc Service%d theme:blue", i) }

func big(b *testing.B, shapes, edges int) *doc {
	d := newDoc(b)
	apply(b, d, batch(b, d, shapes, node))
	if edges > 0 {
		apply(b, d, batch(b, d, edges, func(i int) string {
			return fmt.Sprintf("connect Service%d -> Service%d label:calls", i%shapes, (i*7+1)%shapes)
		}))
	}
	return d
}

func BenchmarkAdd(b *testing.B) {
	for _, n := range []int{1, 1000, 5000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			ops := batch(b, newDoc(b), n, node)
			for b.Loop() {
				apply(b, newDoc(b), ops)
			}
		})
	}
}

func BenchmarkAddNear(b *testing.B) {
	ops := batch(b, newDoc(b), 5000, func(i int) string {
		if i == 0 {
			return "add svc Hub"
		}
		return fmt.Sprintf("add box Node%d near:Hub dir:below", i)
	})
	for b.Loop() {
		apply(b, newDoc(b), ops)
	}
}

func BenchmarkConnect1000(b *testing.B) {
	ops := batch(b, newDoc(b), 1000, func(i int) string { return fmt.Sprintf("connect Service%d -> Service%d", i, (i*7+1)%1000) })
	for b.Loop() {
		b.StopTimer()
		d := big(b, 1000, 0)
		b.StartTimer()
		apply(b, d, ops)
	}
}

func BenchmarkRemoveOneByOne1000(b *testing.B) {
	ops := batch(b, newDoc(b), 1000, func(i int) string { return fmt.Sprintf("remove Service%d", i) })
	for b.Loop() {
		b.StopTimer()
		d := big(b, 1000, 1000)
		b.StartTimer()
		apply(b, d, ops)
	}
}

func BenchmarkBulk(b *testing.B) {
	for _, op := range []string{"style @all theme:red bold", "layout", "layout algo:grid", "remove @all", "move @all by:10,10", "copy @all"} {
		b.Run(op, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				d := big(b, 3000, 0)
				ops := batch(b, d, 1, func(int) string { return op })
				b.StartTimer()
				apply(b, d, ops)
			}
		})
	}
}

func BenchmarkOpenSaveMapUndo(b *testing.B) {
	d := big(b, 1000, 1000)
	data := []byte(d.bytes())
	b.Run("save", func(b *testing.B) {
		for b.Loop() {
			d.bytes()
		}
	})
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			openDoc(b, data)
		}
	})
	b.Run("map", func(b *testing.B) {
		for b.Loop() {
			d.query("map")
		}
	})
	b.Run("one op", func(b *testing.B) {
		for b.Loop() {
			apply(b, d, []abi.Op{{Verb: "style", Raw: "style", Positionals: []abi.Positional{{Text: "Service7"}, {Text: "bold"}}}})
			apply(b, d, []abi.Op{{Verb: "style", Raw: "style", Positionals: []abi.Positional{{Text: "Service7"}, {Text: "no-bold"}}}})
		}
	})
	b.Run("undo 100", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			for i := range 100 {
				d.run(fmt.Sprintf("add box Extra%d", i))
			}
			b.StartTimer()
			for range 100 {
				d.undo()
			}
		}
	})
}

// BenchmarkLint checks every edge of a page that has shapes of all outlines.
func BenchmarkLint(b *testing.B) {
	kinds := []string{"svc", "db", "cloud", "doc", "api", "decision", "queue", "box"}
	d := newDoc(b)
	apply(b, d, batch(b, d, 1000, func(i int) string { return fmt.Sprintf("add %s Service%d", kinds[i%len(kinds)], i) }))
	apply(b, d, batch(b, d, 1000, func(i int) string { return fmt.Sprintf("connect Service%d -> Service%d", i, (i*7+1)%1000) }))
	for b.Loop() {
		d.query("lint")
	}
}

func BenchmarkLayoutBrief(b *testing.B) {
	for _, x := range briefs(b) {
		if x.name != "shop" {
			continue
		}
		d := newDoc(b)
		d.run(x.ops[:len(x.ops)-1]...)
		for b.Loop() {
			d.run(x.ops[len(x.ops)-1])
			b.StopTimer()
			d.undo()
			b.StartTimer()
		}
	}
}
