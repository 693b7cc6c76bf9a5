package arrange

// analyseFlow finds the cycles of units that feed each other, the sinks, and the main path.
func (p *problem) analyseFlow() {
	n := p.root
	p.main, p.cycle, p.sinks = make([]bool, len(p.lines)), make([]int, n), make([]bool, n)
	reach := make([][]bool, n)
	next := make([][]int, n)
	feeders := make([][]int, n)
	for i := range p.lines {
		l := &p.lines[i]
		if l.skip {
			continue
		}
		if a, b := p.shapes[l.a].unit, p.shapes[l.b].unit; a != b {
			next[a] = append(next[a], b)
			feeders[b] = append(feeders[b], a)
		}
	}
	for _, u := range p.shapes[p.root].kids {
		reach[u] = make([]bool, n)
		list := []int{u}
		for i := 0; i < len(list); i++ {
			for _, v := range next[list[i]] {
				if !reach[u][v] {
					reach[u][v] = true
					list = append(list, v)
				}
			}
		}
	}
	for _, u := range p.shapes[p.root].kids {
		p.cycle[u] = u
		for _, v := range p.shapes[p.root].kids {
			if reach[u][v] && reach[v][u] {
				p.cycle[u] = min(p.cycle[u], v)
			}
		}
		if p.visibleFrame(u) && len(next[u]) == 0 && len(feeders[u]) > 0 {
			p.sinks[u] = true
			for _, f := range feeders[u] {
				p.sinks[u] = p.sinks[u] && f == feeders[u][0]
			}
		}
	}
	p.mainPath()
}

// isSink reports whether u is a group that feeds no other unit and is fed by exactly one.
func (p *problem) isSink(u int) bool { return p.sinks[u] }

// mainPath finds the main path of a page without groups: the longest path from a shape without incoming lines to one
// without outgoing lines, the first of several. If there is no such path, it takes the longest of those that follow the
// first line that leaves each shape.
func (p *problem) mainPath() {
	out, into := make([][]int, p.root), make([]int, p.root)
	for v := range out {
		if p.visibleFrame(v) {
			return
		}
	}
	for i := range p.lines {
		if l := &p.lines[i]; !l.skip && !l.undirected {
			out[l.a] = append(out[l.a], i)
			into[l.b]++
		}
	}
	path := p.longestPath(out, into)
	if len(path) == 0 {
		path = p.followFirst(out)
	}
	if len(path) >= 3 {
		for _, i := range path {
			p.main[i] = true
		}
	}
}

// longestPath finds the longest path from a shape without incoming lines to one without outgoing lines. Lines that close
// a loop are ignored.
func (p *problem) longestPath(out [][]int, into []int) (path []int) {
	const unseen, open, nowhere = 0, -1, -2 // values of ahead; above 0 it is the number of lines ahead, plus one
	ahead, next := make([]int, len(out)), make([]int, len(out))
	var visit func(v int)
	visit = func(v int) {
		ahead[v], next[v] = open, -1
		far := nowhere
		if len(out[v]) == 0 {
			far = 1
		}
		for _, i := range out[v] {
			w := p.lines[i].b
			if ahead[w] == unseen {
				visit(w)
			}
			if ahead[w] > 0 && ahead[w]+1 > far {
				far, next[v] = ahead[w]+1, i
			}
		}
		ahead[v] = far
	}
	from := -1
	for v := range out {
		if into[v] > 0 || len(out[v]) == 0 {
			continue
		}
		if visit(v); ahead[v] > 0 && (from < 0 || ahead[v] > ahead[from]) {
			from = v
		}
	}
	for v := from; v >= 0 && next[v] >= 0; v = p.lines[next[v]].b {
		path = append(path, next[v])
	}
	return path
}

// followFirst finds the longest path along the first line that leaves each shape.
func (p *problem) followFirst(out [][]int) (best []int) {
	seen := make([]int, p.root)
	for v := range out {
		var path []int
		for w := v; len(out[w]) > 0 && seen[w] != v+1; w = p.lines[out[w][0]].b {
			seen[w] = v + 1
			path = append(path, out[w][0])
		}
		if n := len(path); n > 0 && seen[p.lines[path[n-1]].b] == v+1 {
			path = path[:n-1] // it closes a loop
		}
		if len(path) > len(best) {
			best = path
		}
	}
	return best
}
