package render

// Cut is what is cut off from an item whose pictures stay what they were: its fades, and the way of a text that
// rolls, began some frames before the item and end some frames after it.
type Cut struct{ Before, After int }

// ramp is a fade of an item. It begins at a frame of the item, which is less than 0 if it began before the item.
type ramp struct{ at, frames int }

// end returns the frame at which the fade is complete.
func (r ramp) end() int { return r.at + r.frames }

// ramps returns the fades of an item of a length in frames. Those that the item does not show have no frames. early
// is how many frames before the item the first of them begins.
func (c Cut) ramps(in, out, frames int) (up, down ramp, early int) {
	up, down = ramp{-c.Before, in}, ramp{frames + c.After - out, out}
	if up.end() <= 0 {
		up.frames = 0
	}
	if down.at >= frames {
		down.frames = 0
	}
	for _, r := range []ramp{up, down} {
		if r.frames > 0 {
			early = max(early, -r.at)
		}
	}
	return up, down, early
}

// possible reports whether the cut is within the limits of films.
func (c Cut) possible() bool {
	return min(c.Before, c.After) >= 0 && max(c.Before, c.After) <= maxFrames
}
