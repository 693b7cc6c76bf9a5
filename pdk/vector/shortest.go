package vector

// Shortest is p with, for each segment, the letter that makes its data shortest: absolute or
// relative, with or without the coordinates that the letter or the previous segment implies.
func (p Path) Shortest() Path {
	out := make(Path, len(p))
	w := writer{}
	for i, s := range p {
		best := -1
		was, length := w.state, len(w.out)
		var text []byte
		var then state
		for _, letter := range w.choices(&s) {
			w.state, w.out = was, w.out[:length]
			if !w.arguments(letter, &s) {
				continue
			}
			if n := len(w.out) - length; best < 0 || n < best {
				best, then, text, out[i] = n, w.state, append(text[:0], w.out[length:]...), s
				out[i].Letter = letter
			}
		}
		w.state, w.out = then, append(w.out[:length], text...)
		w.last = s
	}
	return out
}

// choices are the letters with which a segment can be written.
func (w *writer) choices(s *Segment) []byte {
	var out []byte
	switch s.Kind {
	case Move:
		out = []byte("mM")
		if len(w.out) == 0 {
			return []byte("M")
		}
	case Line:
		out = []byte("lL")
		if s.To.Y == w.last.To.Y {
			out = []byte("hHlL")
		} else if s.To.X == w.last.To.X {
			out = []byte("vVlL")
		}
	case Quad:
		out = []byte("qQ")
		if s.C1 == w.last.mirrored(Quad) {
			out = []byte("tTqQ")
		}
	case Cubic:
		out = []byte("cC")
		if s.C1 == w.last.mirrored(Cubic) {
			out = []byte("sScC")
		}
	case Arc:
		out = []byte("aA")
	case Close:
		out = []byte("z")
	}
	return out
}
