package command

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/soak"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// mesh returns ops for a diagram of n shapes and m edges, always the same.
func mesh(n, m int) string {
	seed := uint32(7)
	next := func(k int) int {
		seed = seed*1664525 + 1013904223
		return int(uint64(seed) * uint64(k) >> 32)
	}
	var b strings.Builder
	b.WriteString(`<mxfile><diagram id="p" name="P"><mxGraphModel><root><mxCell id="0"/><mxCell id="1" parent="0"/>`)
	for i := range n {
		fmt.Fprintf(&b, "<mxCell id=\"n%d\" value=\"N%d\" style=\"html=1;\" vertex=\"1\" parent=\"1\"><mxGeometry x=\"%d\" y=\"%d\" width=\"120\" height=\"60\" as=\"geometry\"/></mxCell>\n", i, i, i%40*160, i/40*100)
	}
	for i := range m {
		to := 1 + i%(n-1)
		fmt.Fprintf(&b, "<mxCell id=\"e%d\" style=\"edgeStyle=orthogonalEdgeStyle;html=1;\" edge=\"1\" parent=\"1\" source=\"n%d\" target=\"n%d\"><mxGeometry relative=\"1\" as=\"geometry\"/></mxCell>\n", i, next(to), to)
	}
	b.WriteString(`</root></mxGraphModel></diagram></mxfile>`)
	return b.String()
}

// Laying out a thousand shapes takes far less than the default deadline, and one undo reverses it.
func TestManyShapesAreLaidOutByEveryAlgorithm(t *testing.T) {
	t.Parallel()
	c, dir := startDrawio(t)
	n := soak.Times(50, 1000)
	was := mesh(n, n*3/2)
	put(t, dir, "a.drawio", was)
	c.session("drawio", "open ./a.drawio")
	for _, algo := range []string{"layered", "tree", "force", "radial", "grid"} {
		has(t, c.edit("drawio", "layout algo:"+algo), fmt.Sprintf("%d shapes and %d edges", n, n*3/2))
		has(t, c.session("drawio", "undo"), "layout")
		if c.saves(dir, algo+".drawio") != was {
			t.Errorf("undo of algo:%s did not restore the bytes", algo)
		}
	}
}

// A single layout is fast, so many of them in one call are needed to miss the deadline, which must still leave time to open
// the diagram.
func TestLayoutsThatTakeTooLongEndAtTheDeadlineAndLeaveTheDiagramUnharmed(t *testing.T) {
	t.Parallel()
	for _, algo := range []string{"layered", "force"} {
		dir := t.TempDir()
		c := serveProcess(t, dir, "--plugin", testwasm.Build(t, "plugins/drawio"), "--limit", "call=1s")
		was := mesh(1000, 1500)
		put(t, dir, "a.drawio", was)
		if text, failed := c.call("drawio_session", map[string]any{"action": "open ./a.drawio"}); failed {
			t.Skipf("this machine is too busy to open the diagram in time: %s", text)
		}
		var ops []string
		for i := range 200 {
			ops = append(ops, fmt.Sprintf("layout algo:%s spacing:%d", algo, 40+i%7))
		}
		text, failed := c.call("drawio", map[string]any{"ops": ops})
		if !failed || !strings.Contains(text, "took more than 1s of processor time") {
			t.Errorf("algo:%s: %.300s", algo, text)
		}
		if text, failed = c.call("drawio", map[string]any{"ops": []string{"label N7 Changed"}}); failed {
			t.Skipf("this machine is too busy to open the diagram again in time: %s", text)
		}
		c.session("drawio", "undo")
		if c.saves(dir, "b.drawio") != was {
			t.Errorf("algo:%s was cut off and changed the diagram", algo)
		}
	}
}
