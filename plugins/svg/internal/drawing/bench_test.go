package drawing

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/plugins/svg/internal/model"
)

// batch parses ops as the host does.
func batch(b testing.TB, n int, text func(i int) string) []abi.Op {
	b.Helper()
	ops := make([]abi.Op, n)
	for i := range ops {
		item := grammar.ParseAll([]string{text(i)}, grammar.Rules{})[0]
		if item.Err != nil {
			b.Fatal(item.Err)
		}
		data, err := abi.Marshal(&abi.ApplyRequest{Ops: []abi.Op{item.Op.Op}})
		if err != nil {
			b.Fatal(err)
		}
		var req abi.ApplyRequest
		if err := abi.Unmarshal(data, &req); err != nil {
			b.Fatal(err)
		}
		ops[i] = req.Ops[0]
	}
	return ops
}

func apply(b testing.TB, in *pdk.Instance[*model.Drawing], ops []abi.Op) {
	b.Helper()
	data, err := abi.Marshal(&abi.ApplyRequest{Ops: ops})
	if err != nil {
		b.Fatal(err)
	}
	out, err := in.Call(abi.ExportApply, data)
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

func fresh(b testing.TB) *pdk.Instance[*model.Drawing] {
	b.Helper()
	in := pdk.NewInstance(Domain())
	if _, err := in.New(&abi.NewRequest{Title: "Bench"}); err != nil {
		b.Fatal(err)
	}
	return in
}

func rect(i int) string {
	return fmt.Sprintf("add rect r%d at:%d,%d size:8x8 fill:#abcdef", i, i%100*10, i/100*10)
}

func BenchmarkAdd5000(b *testing.B) {
	ops := batch(b, 5000, rect)
	for b.Loop() {
		apply(b, fresh(b), ops)
	}
}

func BenchmarkAddBeside5000(b *testing.B) {
	ops := batch(b, 5000, func(i int) string {
		if i == 0 {
			return rect(0)
		}
		return fmt.Sprintf("add rect r%d size:8x8 right-of:r%d gap:2", i, i-1)
	})
	for b.Loop() {
		apply(b, fresh(b), ops)
	}
}

func BenchmarkOf5000(b *testing.B) {
	in := fresh(b)
	apply(b, in, batch(b, 5000, rect))
	for _, q := range []string{"bbox @all", "map", "overlaps", "lint", "stats"} {
		op, err := grammar.ParseQuery(q)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(q, func(b *testing.B) {
			for b.Loop() {
				if _, err := in.Query(&abi.QueryRequest{Query: op.Op}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	one := batch(b, 2, func(i int) string { return fmt.Sprintf("style r77 fill:#00000%d", i) })
	b.Run("one op", func(b *testing.B) {
		for b.Loop() {
			apply(b, in, one)
		}
	})
	all := batch(b, 2, func(i int) string { return fmt.Sprintf("style @all stroke:#00000%d", i) })
	b.Run("style @all", func(b *testing.B) {
		for b.Loop() {
			apply(b, in, all)
		}
	})
	move := batch(b, 1, func(i int) string { return "move @all by:1,1" })
	b.Run("move @all", func(b *testing.B) {
		for b.Loop() {
			apply(b, in, move)
		}
	})
}

func BenchmarkOpen5MB(b *testing.B) {
	var t strings.Builder
	t.WriteString("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1000 1000\">\n")
	for i := 0; t.Len() < 5<<20; i++ {
		fmt.Fprintf(&t, "  <g id=\"g%d\"><path id=\"p%d\" d=\"M%d %dL20 30C1 2 3 4 5 6Z\" style=\"fill:#123456;stroke:none\"/></g>\n", i, i, i, i)
	}
	data := []byte(t.String() + "</svg>\n")
	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			in := pdk.NewInstance(Domain())
			if _, err := in.Open(&abi.OpenRequest{Name: "a.svg", Data: bytes.Clone(data)}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
