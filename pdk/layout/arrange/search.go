package arrange

import "slices"

// search tries arrangements and gives the best drawing.
func (p *problem) search(o Options) *drawing {
	s := &searcher{p: p, best: 1 << 60}
	s.seeds(o.By)
	return s.drawing
}

// searcher keeps the best drawing so far.
type searcher struct {
	p       *problem
	best    int
	plan    plan
	drawing *drawing
	models  map[string]*model
	tries   int
}

func (p *problem) plan() plan {
	return plan{mode: make([]mode, len(p.shapes)), move: make([]int, len(p.shapes)), gap: 100}
}

// seeds tries the usual arrangements.
func (s *searcher) seeds(by By) {
	p := s.p
	var list []plan
	groups := p.plan()
	nested, layers := groups.clone(), groups.clone()
	for f := range p.root {
		if p.frame(f) {
			layers.mode[f] = layered
			if slices.ContainsFunc(p.shapes[f].kids, p.frame) {
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
		s.stretch(pl)
	}
}

// stretch tries a plan with more room between columns or between shapes.
func (s *searcher) stretch(pl plan) {
	m := s.model(pl)
	for _, gap := range []int{100, 140, 200} {
		for _, room := range []int{0, 30, 60, 100} {
			pl.gap, pl.room = gap, room
			s.try(m, pl)
		}
	}
}

func (s *searcher) model(pl plan) *model {
	m := s.p.model(s.p.columns(pl))
	m.order(300_000)
	return m
}

// try draws a plan and keeps the drawing if it is the best.
func (s *searcher) try(m *model, pl plan) int {
	s.tries++
	d, j := s.finish(m, pl, nil)
	s.keep(d, pl)
	if freed, some := j.freed(); some {
		d, _ := s.finish(m, pl, freed)
		s.keep(d, pl)
	}
	return d.score.Total
}

func (s *searcher) finish(m *model, pl plan, freed [][2]bool) (*drawing, *judge) {
	d := m.place(pl, freed).draw()
	j := s.p.judge(d)
	j.simplify()
	j.putLabels()
	d.score = j.score()
	return d, j
}

func (s *searcher) keep(d *drawing, pl plan) {
	if d.score.Total < s.best {
		s.best, s.plan, s.drawing = d.score.Total, pl, d
	}
}
