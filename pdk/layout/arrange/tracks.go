package arrange

import "slices"

// track is the vertical part of a net between two columns.
type track struct {
	left, right []int // heights of the horizontal parts on its sides
	lo, hi      int   // the heights between which it runs
	at          int   // its number, counted from the left
}

// labelGap is the column behind which the label of line i gets its room.
func (q *placing) labelGap(i int) int {
	chain := q.m.chain[i]
	if q.m.turned[i] {
		return q.m.last[chain[0]] + len(chain) - 2
	}
	return q.m.last[chain[0]]
}

// brackets are the tracks of brackets on one side of the columns.
type brackets struct {
	at    []int   // by line: its track
	width [][]int // by column and track: half the width that it needs
	room  []int   // by column: the width of all its tracks
}

// off is the distance of line i's bracket from its column.
func (b *brackets) off(i, column int) int {
	x := trackGap / 2
	for k, w := range b.width[column] {
		x += w
		if k == b.at[i] {
			break
		}
		x += w
	}
	return x
}

// bracketTracks assigns the brackets on each side of each column to tracks, the short ones next to the shapes.
func (q *placing) bracketTracks() (left, right brackets) {
	m := q.m
	for _, b := range [2]*brackets{&left, &right} {
		b.at, b.width, b.room = make([]int, len(m.p.lines)), make([][]int, m.c.n), make([]int, m.c.n)
	}
	var list []int
	for _, i := range m.inner {
		if q.bracket[i] {
			list = append(list, i)
		}
	}
	span := func(i int) (int, int) {
		l := &m.p.lines[i]
		a := q.top[l.a] + q.offset(i, 0)
		b := q.top[l.b] + q.offset(i, 1)
		return min(a, b), max(a, b)
	}
	slices.SortStableFunc(list, func(i, j int) int {
		a, b := span(i)
		c, d := span(j)
		return (b - a) - (d - c)
	})
	for k, i := range list {
		side := &left
		if q.right[i] {
			side = &right
		}
		c := m.c.first[m.p.lines[i].a]
		a, b := span(i)
		for _, j := range list[:k] {
			if q.right[j] == q.right[i] && m.c.first[m.p.lines[j].a] == c {
				if lo, hi := span(j); lo < b+10 && a < hi+10 {
					side.at[i] = max(side.at[i], side.at[j]+1)
				}
			}
		}
		for len(side.width[c]) <= side.at[i] {
			side.width[c] = append(side.width[c], trackGap/2)
		}
		if lw := m.p.lines[i].lw; lw > 0 {
			side.width[c][side.at[i]] = max(side.width[c][side.at[i]], lw/2+6)
		}
	}
	for _, b := range [2]*brackets{&left, &right} {
		for c, ws := range b.width {
			for _, w := range ws {
				b.room[c] += 2 * w
			}
			b.room[c] = onGrid(b.room[c], grid)
		}
	}
	return left, right
}

// tracks assigns the nets between column c and the next to tracks. It returns the track of each net and how many are
// used.
func (q *placing) tracks(c int) ([]track, int) {
	ts := q.trackEnds(c)
	var order []int // the nets that need a track: those that are not straight
	for i := range ts {
		t := &ts[i]
		slices.Sort(t.left)
		slices.Sort(t.right)
		t.left, t.right = slices.Compact(t.left), slices.Compact(t.right)
		t.lo, t.hi = min(t.left[0], t.right[0]), max(t.left[len(t.left)-1], t.right[len(t.right)-1])
		if t.lo != t.hi {
			order = append(order, i)
		}
	}
	if len(order) == 0 {
		return ts, 0
	}
	// linearOrder keeps the weight of arcs that lead backwards low: an arc to a net weighs what it saves to have the
	// other one on its left.
	k := len(order)
	weight := make([]int, k*k)
	for i, a := range order {
		for j, b := range order {
			if i != j {
				weight[i*k+j] = ts[b].costLeftOf(&ts[a])
			}
		}
	}
	used := 0
	seq := linearOrder(k, weight)
	for i, a := range seq {
		t := &ts[order[a]]
		for _, b := range seq[:i] {
			if u := &ts[order[b]]; u.lo < t.hi+11 && t.lo < u.hi+11 {
				t.at = max(t.at, u.at+1)
			}
		}
		used = max(used, t.at+1)
	}
	return ts, used
}

// trackEnds lists the heights at which the nets behind column c begin and end.
func (q *placing) trackEnds(c int) []track {
	m := q.m
	height := func(i, v int) int {
		if m.owner[v] >= 0 {
			return q.top[v] + m.h[v]/2
		}
		return q.endY(i, v)
	}
	var ts []track
	for _, s := range m.gaps[c] {
		for len(ts) <= s.net {
			ts = append(ts, track{})
		}
		t := &ts[s.net]
		t.left = append(t.left, height(s.line, s.l))
		t.right = append(t.right, height(s.line, s.r))
	}
	return ts
}

// costLeftOf is the cost of having a left of b: crossings, and by far the worst, horizontal parts that overlap.
func (a *track) costLeftOf(b *track) int {
	cost := 0
	for _, y := range a.right {
		if b.lo < y && y < b.hi {
			cost += 2
		}
		for _, z := range b.left {
			if abs(y-z) < 8 {
				cost += 50
			}
		}
	}
	for _, y := range b.left {
		if a.lo < y && y < a.hi {
			cost += 2
		}
	}
	return cost
}
