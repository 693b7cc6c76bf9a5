package layout

import (
	"slices"
)

// transpose swaps adjacent vertices of one container where that removes crossings.
func (r *rows) transpose() {
	for range 4 {
		better := false
		for k := range r.rank {
			row := r.rank[k]
			for i := 0; i+1 < len(row); i++ {
				a, b := row[i], row[i+1]
				if !slices.Equal(r.verts[a].path, r.verts[b].path) {
					continue
				}
				now := r.cross(r.up[a], r.up[b]) + r.cross(r.down[a], r.down[b])
				then := r.cross(r.up[b], r.up[a]) + r.cross(r.down[b], r.down[a])
				if then < now {
					row[i], row[i+1] = b, a
					r.verts[a].pos, r.verts[b].pos = i+1, i
					better = true
				}
			}
		}
		if !better {
			return
		}
	}
}

// cross counts the crossings of the edges to a with those to b, the neighbours in another row of two adjacent vertices,
// the first left of the second.
func (r *rows) cross(a, b []int) int {
	n := 0
	for _, x := range a {
		for _, y := range b {
			if r.verts[x].pos > r.verts[y].pos {
				n++
			}
		}
	}
	return n
}

// crossings counts the edge crossings between all rows.
func (r *rows) crossings() int {
	total := 0
	for k := 0; k+1 < len(r.rank); k++ {
		var ends []int
		size := len(r.rank[k+1])
		for _, v := range r.rank[k] {
			from := len(ends)
			for _, w := range r.down[v] {
				ends = append(ends, r.verts[w].pos)
			}
			slices.Sort(ends[from:])
		}
		// Count inversions with a Fenwick tree.
		tree := make([]int, size+1)
		for i, p := range ends {
			greater := i
			for j := p + 1; j > 0; j -= j & -j {
				greater -= tree[j]
			}
			total += greater
			for j := p + 1; j <= size; j += j & -j {
				tree[j]++
			}
		}
	}
	return total
}
