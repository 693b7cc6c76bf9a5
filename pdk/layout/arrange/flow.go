package arrange

// flow finds what units feed each other in a cycle, which are satellites, and
// the main path.
func (p *problem) flow() {
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
		if p.seen(u) && len(next[u]) == 0 && len(feeders[u]) > 0 {
			p.sinks[u] = true
			for _, f := range feeders[u] {
				p.sinks[u] = p.sinks[u] && f == feeders[u][0]
			}
		}
	}
	p.mainPath()
}

func (p *problem) satellite(u int) bool { return p.sinks[u] }

// mainPath follows the first line that leaves each shape, from where that
// leads farthest.
func (p *problem) mainPath() {
	first := make([]int, p.root)
	for v := range first {
		if p.seen(v) {
			return
		}
		first[v] = -1
	}
	for i := len(p.lines) - 1; i >= 0; i-- {
		if l := &p.lines[i]; !l.skip && !l.loose {
			first[l.a] = i
		}
	}
	var best []int
	seen := make([]int, p.root)
	for v := range first {
		var path []int
		for w := v; first[w] >= 0 && seen[w] != v+1; w = p.lines[first[w]].b {
			seen[w] = v + 1
			path = append(path, first[w])
		}
		if n := len(path); n > 0 && seen[p.lines[path[n-1]].b] == v+1 {
			path = path[:n-1] // it closes a loop
		}
		if len(path) > len(best) {
			best = path
		}
	}
	if len(best) >= 3 {
		for _, i := range best {
			p.main[i] = true
		}
	}
}
