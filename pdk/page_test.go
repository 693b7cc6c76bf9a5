package pdk_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/pdk"
)

func TestAPageHasTheLinesThatAreShown(t *testing.T) {
	const lines = 10
	made := 0
	ask := func(first, most, total int) abi.QueryResponse {
		t.Helper()
		d := shelves()
		d.Queries = append(d.Queries, pdk.Query[*shelf]{Query: abi.Query{Name: "numbers"}, Run: func(v *pdk.View[*shelf], _ pdk.Args) (abi.QueryResponse, error) {
			made = 0
			out := v.Page()
			for i := 1; i <= lines; i++ {
				more := out.Line(func(b []byte) []byte { made++; return strconv.AppendInt(b, int64(i), 10) })
				if !more && total > 0 {
					break
				}
			}
			return out.Answer(total), nil
		}})
		in := pdk.NewInstance(d)
		if _, err := in.New(&abi.NewRequest{}); err != nil {
			t.Fatal(err)
		}
		out, err := in.Query(&abi.QueryRequest{Query: abi.Op{Verb: "numbers"}, First: first, Lines: most})
		if err != nil {
			t.Fatal(err)
		}
		return *out
	}
	for _, tt := range []struct {
		first, most int
		want        string
		total       int
	}{
		{0, 0, "1 2 3 4 5 6 7 8 9 10", 0},
		{1, 0, "1 2 3 4 5 6 7 8 9 10", 0},
		{1, 10, "1 2 3 4 5 6 7 8 9 10", 0},
		{1, 3, "1 2 3", 10},
		{4, 3, "4 5 6", 10},
		{9, 3, "9 10", 10},
		{11, 3, "", 10},
		{99, 3, "", 10},
	} {
		for _, total := range []int{0, lines} { // counted by the page, or known beforehand
			got := ask(tt.first, tt.most, total)
			if want := strings.ReplaceAll(tt.want, " ", "\n"); got.Text != want || got.Total != tt.total || made != len(strings.Fields(want)) {
				t.Errorf("%d lines from %d: %q of %d after %d were made, want %q of %d", tt.most, tt.first, got.Text, got.Total, made, want, tt.total)
			}
		}
	}
}
