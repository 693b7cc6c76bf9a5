package arrange

import "slices"

// search tries arrangements and returns the best drawing.
func (p *problem) search(o Options) *drawing {
	s := &searcher{p: p, best: unlimited, rough: unlimited, tries: o.Budget}
	if o.Budget <= 0 {
		s.tries = max(3, 180/len(p.shapes))
	}
	s.trySeeds(o.ColumnsBy)
	s.climb()
	if len(s.p.lines) <= manyLines { // each of these draws in full
		s.tryRepairs()
		if o.ColumnsBy != Groups {
			s.wrap()
		}
		s.refine()
	} else {
		s.best = unlimited
		s.drawInFull(s.chosen, s.plan)
	}
	return s.drawing
}

// searcher keeps the best drawing so far.
type searcher struct {
	p       *problem
	best    int
	plan    plan
	drawing *drawing
	rough   int    // the best score of a drawing whose lines were not simplified
	tries   int    // drawings left to try
	chosen  *model // model of the best plan, if only that is drawn in full
}

func (p *problem) plan() plan {
	return plan{mode: make([]mode, len(p.shapes)), move: make([]int, len(p.shapes)), gap: 100}
}

// trySeeds tries the usual arrangements.
func (s *searcher) trySeeds(by ColumnsBy) {
	p := s.p
	var list []plan
	groups := p.plan()
	nested, layers := groups.clone(), groups.clone()
	for f := range p.root {
		if p.visibleFrame(f) {
			layers.mode[f] = layered
			if slices.ContainsFunc(p.shapes[f].kids, p.visibleFrame) {
				nested.mode[f] = layered
			}
		}
	}
	if by != Flow {
		list = append(list, nested, layers, groups)
	}
	if by != Groups {
		flow := groups.clone()
		flow.flow = true
		list = append(list, flow)
	}
	for _, pl := range list {
		if s.tries > 0 {
			s.stretch(pl)
		}
	}
}

// climb changes the best plan in one place while that helps: it moves a unit to another column, or arranges the members
// of a frame in another mode.
func (s *searcher) climb() {
	p := s.p
	for again := true; again && s.tries > 0; {
		again = false
		best := s.plan
		if best.flow {
			return
		}
		for _, pl := range p.neighbours(best) {
			if s.tries <= 0 {
				return
			}
			before := s.best
			s.try(s.model(pl), pl)
			if s.best < before {
				again = true
				break
			}
		}
	}
}

// tooHollow is the cost of hollow groups of equal height, in thousandths, above which groups of different heights are
// tried.
const tooHollow = 30_000

// tryRepairs tries plans that clear labels and titles, if the best plan covers some, and groups of different heights, if
// equal heights make some of them too large.
func (s *searcher) tryRepairs() {
	full := func(pl plan) {
		m := s.model(pl)
		s.finish(s.p.judge(m.place(pl, nil, 2).draw()), pl)
	}
	if s.drawing.score.Counts[Labels] > 0 {
		best := s.plan
		for _, more := range [...]plan{{spread: true}, {room: 30}, {gap: 50}, {spread: true, room: 30}, {spread: true, gap: 50}} {
			next := best.clone()
			next.spread, next.room, next.gap = more.spread, next.room+more.room, next.gap+more.gap
			full(next)
		}
	}
	if s.drawing.score.Counts[OnTitle] > 0 {
		next := s.plan.clone()
		next.mirrored = true
		full(next)
	}
	if s.drawing.score.Costs[Hollow] > tooHollow && !s.plan.flow {
		next := s.plan.clone()
		next.uneven = true
		full(next)
	}
}

// refine reroutes the lines of the best drawing: each by itself, and all one after the other.
func (s *searcher) refine() {
	if len(s.p.lines) == 0 {
		return
	}
	best := s.drawing
	for _, all := range [2]bool{false, true} {
		j := s.p.judge(best.clone())
		j.withLabels = true
		if all {
			j.routeAll(s.p.all)
		} else {
			j.putLabels()
			j.rerouteEach()
		}
		j.simplify()
		j.drawLoops(s.p.all)
		j.putLabels()
		if j.d.score = j.score(); j.d.score.Total < s.best {
			s.best, s.drawing = j.d.score.Total, j.d
		}
	}
}

// wrap tries the best plan in rows, if its page is too wide.
func (s *searcher) wrap() {
	best := s.plan
	if wide, _ := s.p.proportions(s.drawing.score.Counts[Aspect]); !wide {
		return
	}
	best.room, best.gap = 0, 100
	m := s.model(best)
	last := unlimited
	for rows := 2; rows <= 1+len(m.cuts()); rows++ {
		next := best.clone()
		next.rows = rows
		s.tries--
		j := s.p.judge(m.place(next, nil, 2).draw())
		s.finish(j, next)
		if j.d.score.Total > last {
			return
		}
		last = j.d.score.Total
	}
}

// neighbours are the plans one step away from pl.
func (p *problem) neighbours(pl plan) []plan {
	var out []plan
	for _, u := range p.shapes[p.root].kids {
		if p.sinks[u] {
			next := pl.clone()
			next.move[u]--
			out = append(out, next)
		}
	}
	for f := range p.root {
		if !p.visibleFrame(f) {
			continue
		}
		modes := []mode{stacked, layered}
		if n := len(p.shapes[f].kids); n >= 4 {
			modes = append(modes, grid2)
		}
		for _, m := range modes {
			if m != pl.mode[f] {
				next := pl.clone()
				next.mode[f] = m
				out = append(out, next)
			}
		}
	}
	firm := make([]bool, len(p.shapes)) // held in its column by lines that have a direction
	if len(p.frames) == 0 {
		for _, l := range p.lines {
			if !l.undirected {
				firm[l.a], firm[l.b] = true, true
			}
		}
	}
	for _, u := range p.shapes[p.root].kids {
		if firm[u] {
			continue
		}
		for _, d := range [2]int{-1, 1} {
			next := pl.clone()
			next.move[u] += d
			out = append(out, next)
		}
	}
	return out
}

// stretch tries a plan, and tries it again with more room between columns or shapes while that helps.
func (s *searcher) stretch(pl plan) {
	m := s.model(pl)
	d := s.try(m, pl)
	wide, high := s.p.proportions(d.score.Counts[Aspect])
	last := d.score.Total
	for _, more := range []int{1, 2, 3} {
		if wide {
			pl.gap = 100 + 50*more
		} else {
			pl.room = 30 * more
		}
		if s.tries <= 0 {
			return
		}
		d := s.try(m, pl)
		if d.score.Total > last && !high {
			return
		}
		last = d.score.Total
	}
}

// proportions reports whether a page is too wide or too high.
func (p *problem) proportions(aspect int) (wide, high bool) {
	lo, hi := p.aspects()
	if p.vertical() {
		return aspect < lo, aspect > hi // the problem is turned
	}
	return aspect > hi, aspect < lo
}

// model makes and orders the model of a plan.
func (s *searcher) model(pl plan) *model {
	m := s.p.model(s.p.columns(pl))
	work := orderWork
	if len(s.p.frames) == 0 {
		work *= 40
	}
	m.order(work)
	if pl.mirrored {
		for _, list := range m.kids {
			slices.Reverse(list)
		}
		m.walk()
	}
	return m
}

// orderWork limits the search for the order of one model, in elementary steps. Without groups the limit is higher,
// because the order can change more.
const orderWork = 150_000

// try draws a plan roughly. If that is the best so far, it also draws it in full, unless the graph has so many lines
// that only the best plan of all is drawn in full.
func (s *searcher) try(m *model, pl plan) *drawing {
	s.tries--
	d := m.place(pl, nil, 1).draw()
	d.score = s.p.judge(d).score()
	if d.score.Total < s.rough {
		s.rough = d.score.Total
		if len(s.p.lines) > manyLines {
			s.best, s.plan, s.drawing, s.chosen = d.score.Total, pl, d, m
		} else {
			s.drawInFull(m, pl)
		}
	}
	return d
}

// drawInFull draws a plan in full, and once more if ends of lines left their sides.
func (s *searcher) drawInFull(m *model, pl plan) {
	j := s.p.judge(m.place(pl, nil, 2).draw())
	s.finish(j, pl)
	if freed, some := j.freedEnds(); some {
		s.finish(s.p.judge(m.place(pl, freed, 2).draw()), pl)
	}
}

// finish simplifies lines, positions labels, and keeps the drawing if it is the best so far.
func (s *searcher) finish(j *judge, pl plan) {
	j.simplify()
	j.drawLoops(j.p.all)
	j.putLabels()
	if j.d.score = j.score(); j.d.score.Total < s.best {
		s.best, s.plan, s.drawing = j.d.score.Total, pl, j.d
	}
}
