package svg

import (
	"math"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk/geom"
)

// Sides of a shape, as a bit set. The numbers are those of draw.io's tables.
const (
	west  = 1
	north = 2
	south = 4
	east  = 8
	every = 15
)

// patterns holds draw.io's routes from one side of a shape to a side of another, both turned so that the other shape lies to
// the right and below. It is indexed by the side where the route leaves, then by the side where it arrives (left, above,
// right, below). Each number is a piece of the route: its direction in the low four bits, the side that limits it (32 to
// 256), whether it goes to a middle (512), and whether the limit is that of the source (1024) or the target (2048).
var patterns = [4][4][]int{
	{{513, 2308, 2081, 2562}, {513, 1090, 514, 2184, 2114, 2561}, {513, 1090, 514, 2564, 2184, 2562}, {513, 2308, 2561, 1090, 514, 2568, 2308}},
	{{514, 1057, 513, 2308, 2081, 2562}, {514, 2184, 2114, 2561}, {514, 2184, 2562, 1057, 513, 2564, 2184}, {514, 1057, 513, 2568, 2308, 2561}},
	{{1090, 514, 1057, 513, 2308, 2081, 2562}, {2114, 2561}, {1090, 2562, 1057, 513, 2564, 2184}, {1090, 514, 1057, 513, 2308, 2561, 2568}},
	{{2081, 2562}, {1057, 513, 1090, 514, 2184, 2114, 2561}, {1057, 513, 1090, 514, 2184, 2562, 2564}, {1057, 2561, 1090, 514, 2568, 2308}},
}

// steps holds the unit vectors of the directions in patterns, which count from 1.
var steps = [4][2]float64{{-1, 0}, {0, -1}, {1, 0}, {0, 1}}

// buffer is how far an edge runs straight before it turns, as in draw.io.
const buffer = 10

// jetty returns the length of the straight piece at an end of an edge.
func jetty(l cellStyle, end, arrow string) float64 {
	v, ok := l[end+"JettySize"]
	if !ok {
		v, ok = l["jettySize"]
	}
	if !ok {
		return buffer
	}
	if v != "auto" {
		f, err := strconv.ParseFloat(v, 64)
		if err != nil || math.Abs(f) > 1e6 {
			return buffer
		}
		return f
	}
	if head, ok := l[arrow+"Arrow"]; !ok || head == "none" {
		return 2 * buffer
	}
	return math.Max(2, math.Ceil((l.num(arrow+"Size", 6)+buffer)/buffer)) * buffer
}

// sides returns the set of sides at which edges may connect to the shape; all of them if the shape has no constraint.
func (p edgeEnd) sides() int {
	if p.box == nil {
		return every
	}
	word, ok := p.box.style["portConstraint"]
	if !ok {
		word = p.constraint
	}
	if word == "" {
		return every
	}
	quarter := 0
	if p.box.style.on("portConstraintRotation") {
		switch a := p.box.angle; {
		case a >= 135 || a <= -135:
			quarter = 2
		case a > 45:
			quarter = 1
		case a < -45:
			quarter = 3
		}
	}
	set := 0
	names, bits := [4]string{"north", "east", "south", "west"}, [4]int{north, east, south, west}
	for i, name := range names {
		if strings.Contains(word, name) {
			set |= bits[(i+quarter)%4]
		}
	}
	return set
}

// opposite returns the set of opposite sides.
func opposite(set int) int { return set&west<<3 | set&north<<1 | set&south>>1 | set&east>>3 }

// orthogonalRoute routes an edge horizontally and vertically around the shapes at its ends, like draw.io's
// OrthConnector. With waypoints, and between ports that lie close together, it uses segmentRoute.
func orthogonalRoute(l cellStyle, from, to edgeEnd, hints []geom.Point) []geom.Point {
	jetties := [2]float64{jetty(l, "source", "start"), jetty(l, "target", "end")}
	if from.box != nil && from.box == to.box {
		longer := math.Max(jetties[0], jetties[1])
		jetties = [2]float64{longer, longer}
	}
	total := jetties[0] + jetties[1]
	p := [2]*geom.Point{from.fixedAt(), to.fixedAt()}
	close := false
	if p[0] != nil && p[1] != nil {
		dx, dy := p[1].X-p[0].X, p[1].Y-p[0].Y
		close = dx*dx+dy*dy < total*total
	}
	if close || len(hints) > 0 {
		return segmentRoute(from, to, hints)
	}
	ends := [2]edgeEnd{from, to}
	allowed := [2]int{every, every}
	var box [2]geom.Rect
	var limits [2][9]float64
	at := [2]geom.Point{{X: 0.5, Y: 0.5}, {X: 0.5, Y: 0.5}}
	var leaves [2]int
	for i, e := range ends {
		if e.box == nil {
			box[i] = geom.Rect{X: p[i].X, Y: p[i].Y}
		} else {
			allowed[i] = e.sides()
			box[i] = *e.around()
			if e.box.angle != 0 {
				box[i] = e.box.bounds()
			}
		}
		b := box[i]
		limits[i][1], limits[i][2], limits[i][4], limits[i][8] = b.X-jetties[i], b.Y-jetties[i], b.Right()+jetties[i], b.Bottom()+jetties[i]
		if e.box == nil || p[i] == nil {
			continue
		}
		if b.W > 0 {
			at[i].X = (p[i].X - b.X) / b.W
		}
		if b.H > 0 {
			at[i].Y = (p[i].Y - b.Y) / b.H
		}
		if math.Abs(p[i].X-b.X) <= 1 {
			leaves[i] = west
		} else if math.Abs(p[i].X-b.Right()) <= 1 {
			leaves[i] = east
		}
		if math.Abs(p[i].Y-b.Y) <= 1 {
			leaves[i] = north
		} else if math.Abs(p[i].Y-b.Bottom()) <= 1 {
			leaves[i] = south
		}
	}
	quarter := 0 // quadrant of the target
	switch dx, dy := box[0].Center().X-box[1].Center().X, box[0].Center().Y-box[1].Center().Y; {
	case dx < 0 && dy < 0:
		quarter = 2
	case dx < 0:
		quarter = 1
	case dy <= 0:
		if quarter = 3; dx == 0 {
			quarter = 2
		}
	}
	// Distances between the shapes; negative where they share a row or a column.
	left, above := box[0].X-box[1].Right(), box[0].Y-box[1].Bottom()
	right, below := box[1].X-box[0].Right(), box[1].Y-box[0].Bottom()
	apart := [5]float64{1: math.Max(left-total, 0), 2: math.Max(above-total, 0), 4: math.Max(below-total, 0), 3: math.Max(right-total, 0)}
	leaves = chooseSides(leaves, allowed, left, above, right, below)
	return followPattern(leaves, quarter, box, at, limits, apart, jetties[0])
}

// chooseSides chooses the sides at which an edge leaves and arrives, where ports do not determine them.
func chooseSides(leaves, allowed [2]int, left, above, right, below float64) [2]int {
	level, upright := [2]int{east, 0}, [2]int{south, 0}
	if left >= right {
		level[0] = west
	}
	if above >= below {
		upright[0] = north
	}
	level[1], upright[1] = opposite(level[0]), opposite(upright[0])
	across, down := math.Max(left, right), math.Max(above, below)
	var prefer [2][2]int
	for i := range 2 {
		if leaves[i] != 0 {
			continue
		}
		if level[i]&allowed[i] == 0 {
			level[i] = opposite(level[i])
		}
		if upright[i]&allowed[i] == 0 {
			upright[i] = opposite(upright[i])
		}
		prefer[i] = [2]int{upright[i], level[i]}
	}
	set := false
	if down > 0 && across > 0 {
		switch {
		case level[0]&allowed[0] > 0 && upright[1]&allowed[1] > 0:
			prefer, set = [2][2]int{{level[0], upright[0]}, {upright[1], level[1]}}, true
		case upright[0]&allowed[0] > 0 && level[1]&allowed[1] > 0:
			prefer, set = [2][2]int{{upright[0], level[0]}, {level[1], upright[1]}}, true
		}
	}
	if down > 0 && !set {
		prefer, set = [2][2]int{{upright[0], level[0]}, {upright[1], level[1]}}, true
	}
	if across > 0 && !set {
		prefer = [2][2]int{{level[0], upright[0]}, {level[1], upright[1]}}
	}
	for i := range 2 {
		if leaves[i] != 0 {
			continue
		}
		if prefer[i][0]&allowed[i] == 0 {
			prefer[i][0] = prefer[i][1]
		}
		order := prefer[i][0]&allowed[i] | prefer[i][1]&allowed[i]<<8 | prefer[1-i][i]&allowed[i]<<16 | prefer[1-i][1-i]&allowed[i]<<24
		for order&15 == 0 && order != 0 {
			order >>= 8
		}
		leaves[i] = order & 15
		if a := allowed[i]; a == west || a == north || a == east || a == south {
			leaves[i] = a
		}
	}
	return leaves
}

// followPattern follows the pattern that leads from one side to the other, and returns the corners.
func followPattern(leaves [2]int, quarter int, box [2]geom.Rect, at [2]geom.Point, limits [2][9]float64, apart [5]float64, jetty float64) []geom.Point {
	index := func(side int) int {
		if side == east {
			side = 3
		}
		if side -= quarter; side < 1 {
			side += 4
		}
		return min(max(side, 1), 4) - 1
	}
	pattern := patterns[index(leaves[0])][index(leaves[1])]
	low := [2][2]float64{{box[0].X, box[0].Y}, {box[1].X, box[1].Y}}
	size := [2][2]float64{{box[0].W, box[0].H}, {box[1].W, box[1].H}}
	share := [2][2]float64{{at[0].X, at[0].Y}, {at[1].X, at[1].Y}}
	start := leave(leaves[0], low[0], size[0], share[0], jetty)
	route := [][2]float64{start}
	last := axisOf(leaves[0])
	for _, piece := range pattern {
		dir := piece & 15
		if dir == east {
			dir = 3
		}
		if dir += quarter; dir > 4 {
			dir -= 4
		}
		step := steps[dir-1]
		along := 1 - dir%2
		if along != last {
			route = append(route, route[len(route)-1])
		}
		pen := &route[len(route)-1]
		mine, middle := piece&1024 > 0, piece&512 > 0
		limit := (piece & 480 >> 5) << quarter
		if limit > 15 {
			limit >>= 4
		}
		switch {
		case (mine || piece&2048 > 0) && limit < 9:
			which := 1
			if mine {
				which = 0
			}
			to := limits[which][limit]
			if middle {
				to = low[which][along] + share[which][along]*size[which][along]
			}
			if by := (to - pen[along]) * step[along]; by > 0 {
				pen[along] += step[along] * by
			}
		case middle:
			pen[0] += step[0] * math.Abs(apart[dir]/2)
			pen[1] += step[1] * math.Abs(apart[dir]/2)
		}
		if n := len(route); n > 1 && route[n-1][along] == route[n-2][along] {
			route = route[:n-1]
		} else {
			last = along
		}
	}
	return turns(route, axisOf(leaves[0]) == axisOf(leaves[1]))
}

// axisOf returns the axis across a side: 0 for x, 1 for y.
func axisOf(side int) int {
	if side&(east|west) > 0 {
		return 0
	}
	return 1
}

// leave returns the point at which an edge can first turn: jetty outside the given side of a box, at the port's share of that
// side.
func leave(side int, low, size, share [2]float64, jetty float64) [2]float64 {
	at := low
	switch side {
	case west:
		at[0] -= jetty
		at[1] += share[1] * size[1]
	case south:
		at[0] += share[0] * size[0]
		at[1] += size[1] + jetty
	case east:
		at[0] += size[0] + jetty
		at[1] += share[1] * size[1]
	case north:
		at[0] += share[0] * size[0]
		at[1] -= jetty
	}
	return at
}

// turns returns the corners of a route, rounded, without repetitions. A route whose ends lie on the same axis has an even
// number of corners, any other route an odd number; turns drops one last corner if there is one too many.
func turns(route [][2]float64, sameAxis bool) []geom.Point {
	odd := 1
	if sameAxis {
		odd = 0
	}
	var out []geom.Point
	for i, p := range route {
		if i == len(route)-1 && odd != len(route)%2 {
			break
		}
		q := tenth(geom.Point{X: p[0], Y: p[1]})
		if n := len(out); n == 0 || out[n-1] != q {
			out = append(out, q)
		}
	}
	return out
}
