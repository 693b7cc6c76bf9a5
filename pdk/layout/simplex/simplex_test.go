package simplex

import (
	"testing"

	"pgregory.net/rapid"
)

// cost is the sum of the weighted lengths, -1 if an edge is shorter than its minimum.
func cost(rank []int, edges []Arc) int {
	sum := 0
	for _, e := range edges {
		l := rank[e.To] - rank[e.From]
		if l < e.Min {
			return -1
		}
		sum += e.Weight * l
	}
	return sum
}

func TestSolveIsOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "nodes")
		var edges []Arc
		for range rapid.IntRange(0, 9).Draw(t, "edges") {
			if n < 2 {
				break
			}
			a := rapid.IntRange(0, n-2).Draw(t, "from")
			b := rapid.IntRange(a+1, n-1).Draw(t, "to")
			edges = append(edges, Arc{a, b, rapid.IntRange(0, 2).Draw(t, "min"), rapid.IntRange(0, 4).Draw(t, "weight")})
		}
		given := append([]Arc(nil), edges...)
		got := cost(Solve(n, edges, 1_000_000), given)
		if got < 0 {
			t.Fatalf("an edge is too short: %v", given)
		}
		best := -1
		rank := make([]int, n)
		var try func(i int)
		try = func(i int) {
			if i == n {
				if c := cost(rank, given); c >= 0 && (best < 0 || c < best) {
					best = c
				}
				return
			}
			low := 0
			for _, e := range given {
				if e.To == i {
					low = max(low, rank[e.From]+e.Min)
				}
			}
			for r := low; r <= low+6; r++ {
				rank[i] = r
				try(i + 1)
			}
		}
		try(0)
		if got != best {
			t.Fatalf("cost %d, the best is %d: %v", got, best, given)
		}
	})
}

func TestSolveStaysFeasibleWhenItRunsOutOfWork(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := 40
		var edges []Arc
		for range 120 {
			a := rapid.IntRange(0, n-2).Draw(t, "from")
			edges = append(edges, Arc{a, rapid.IntRange(a+1, n-1).Draw(t, "to"), rapid.IntRange(0, 5).Draw(t, "min"), rapid.IntRange(0, 8).Draw(t, "weight")})
		}
		given := append([]Arc(nil), edges...)
		if cost(Solve(n, edges, rapid.IntRange(0, 500).Draw(t, "work")), given) < 0 {
			t.Fatal("an edge is too short")
		}
	})
}
