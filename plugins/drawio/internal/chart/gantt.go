package chart

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Plan holds the tasks of a Gantt chart.
type Plan struct {
	Tasks []Task
}

// Task is one bar.
type Task struct {
	Section, Label   string
	Start, End       time.Time // End is exclusive
	Done, Active     bool
	Critical, Moment bool // a moment is a milestone
}

// plan reads a Gantt chart of Mermaid.
type plan struct {
	at
	c        *Chart
	section  string
	format   string // layout of dates, for package time
	weekends bool   // weekends are excluded
	ids      map[string]int
}

func newPlan(c *Chart) *plan {
	c.Plan = &Plan{}
	return &plan{c: c, format: "2006-01-02", ids: map[string]int{}}
}

func (p *plan) line(s string, _ int) error {
	s, _, _ = strings.Cut(s, "%%")
	word, rest, _ := strings.Cut(strings.TrimSpace(s), " ")
	rest = strings.TrimSpace(rest)
	switch word {
	case "title":
		p.c.Title = clean(rest)
		return nil
	case "dateFormat":
		p.format = strings.NewReplacer("YYYY", "2006", "YY", "06", "MM", "01", "DD", "02", "HH", "15", "mm", "04", "ss", "05", "M", "1", "D", "2", "H", "15").Replace(rest)
		return nil
	case "section":
		p.section = clean(rest)
		return nil
	case "excludes":
		p.weekends = strings.Contains(rest, "weekends")
		return nil
	case "axisFormat", "tickInterval", "todayMarker", "includes", "weekday", "weekend", "click", "accTitle:", "accDescr:", "inclusiveEndDates", "displayMode:":
		return nil
	}
	label, data, ok := strings.Cut(s, ":")
	if !ok {
		return p.fail("neither a task (Name: start, length) nor a known word: %.40q", s)
	}
	return p.task(clean(label), strings.Split(data, ","))
}

func (p *plan) end() error { return nil }

// task reads tags, an id, a start, and an end or a length. All but the last are optional.
func (p *plan) task(label string, data []string) error {
	if len(p.c.Plan.Tasks) >= 1000 {
		return p.fail("more than 1000 tasks")
	}
	t := Task{Section: p.section, Label: label}
	var words []string
	for _, w := range data {
		switch w = strings.TrimSpace(w); w {
		case "done", "active", "crit", "milestone":
			t.Tag(w)
		case "":
		default:
			words = append(words, w)
		}
	}
	id, start, end := "", "", ""
	switch len(words) {
	case 1:
		end = words[0]
	case 2:
		start, end = words[0], words[1]
	case 3:
		id, start, end = words[0], words[1], words[2]
	default:
		return p.fail("task %q has %d parts after its name; it takes an id, a start and a length", label, len(words))
	}
	tasks := p.c.Plan.Tasks
	switch after, ok := strings.CutPrefix(start, "after "); {
	case ok:
		for _, of := range strings.Fields(after) {
			i, known := p.ids[of]
			if !known {
				return p.fail("task %q starts after %q, which does not exist", label, of)
			}
			if tasks[i].End.After(t.Start) {
				t.Start = tasks[i].End
			}
		}
	case start == "" && len(tasks) > 0:
		t.Start = tasks[len(tasks)-1].End
	case start == "":
		return p.fail("the first task needs a start: %s: %s, %s", label, "2026-01-05", end)
	default:
		day, err := time.Parse(p.format, start)
		if err != nil && len(words) == 2 && len(tasks) > 0 { // an id and a length
			id, start = start, ""
			t.Start = tasks[len(tasks)-1].End
		} else if err != nil {
			return p.fail("%q is not a date like %s", start, p.format)
		} else {
			t.Start = day
		}
	}
	if err := p.setEnd(&t, end); err != nil {
		return err
	}
	if id != "" {
		p.ids[id] = len(tasks)
	}
	p.c.Plan.Tasks = append(tasks, t)
	return nil
}

// setEnd sets the end of a task: a date, a length such as 3d, or the start of another task.
func (p *plan) setEnd(t *Task, end string) error {
	if of, ok := strings.CutPrefix(end, "until "); ok {
		i, known := p.ids[strings.TrimSpace(of)]
		if !known {
			return p.fail("task %q lasts until %q, which does not exist", t.Label, of)
		}
		t.End = p.c.Plan.Tasks[i].Start
	} else if day, err := time.Parse(p.format, end); err == nil {
		t.End = day
	} else {
		n := strings.TrimRight(end, "abcdefghijklmnopqrstuvwxyzM")
		amount, err := strconv.ParseFloat(n, 64)
		unit := map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour, "h": time.Hour, "m": time.Minute, "s": time.Second, "ms": time.Millisecond,
			"M": 30 * 24 * time.Hour, "y": 365 * 24 * time.Hour}[end[len(n):]]
		if err != nil || unit == 0 || amount < 0 || amount > 10000 {
			return p.fail("%q is neither a date like %s nor a length such as 3d", end, p.format)
		}
		length := time.Duration(amount * float64(unit))
		t.End = t.Start.Add(length)
		if p.weekends && unit >= 24*time.Hour {
			t.End = t.Start
			for left := length; left > 0; t.End = t.End.Add(24 * time.Hour) {
				if d := t.End.Weekday(); d != time.Saturday && d != time.Sunday {
					left -= 24 * time.Hour
				}
			}
		}
	}
	if t.End.Before(t.Start) {
		return p.fail("task %q ends before it starts", t.Label)
	}
	return nil
}

// Span returns when the first task starts and when the last one ends.
func (p *Plan) Span() (from, to time.Time) {
	for i, t := range p.Tasks {
		if i == 0 || t.Start.Before(from) {
			from = t.Start
		}
		if i == 0 || t.End.After(to) {
			to = t.End
		}
	}
	return from, to
}

// Ticks returns at most about `most` days for the axis of a plan, and their labels.
func (p *Plan) Ticks(most int) (days []time.Time, names []string) {
	from, to := p.Span()
	step := time.Duration(24) * time.Hour
	for _, d := range []int{1, 2, 7, 14, 28, 56, 91, 182, 365} {
		if step = time.Duration(d) * 24 * time.Hour; int(to.Sub(from)/step) <= most {
			break
		}
	}
	if to.Sub(from) <= 48*time.Hour {
		step = 4 * time.Hour
	}
	for t := from; t.Before(to) && len(days) < 400; t = t.Add(step) {
		name := fmt.Sprintf("%d %s", t.Day(), t.Month().String()[:3])
		if step < 24*time.Hour {
			name = t.Format("15:04")
		}
		days, names = append(days, t), append(names, name)
	}
	return days, names
}

// Tags lists Mermaid's words for the state of a task.
func (t Task) Tags() (out []string) {
	for _, tag := range []struct {
		word string
		on   bool
	}{{"done", t.Done}, {"active", t.Active}, {"crit", t.Critical}, {"milestone", t.Moment}} {
		if tag.on {
			out = append(out, tag.word)
		}
	}
	return out
}

// Tag sets the state of a task from such words.
func (t *Task) Tag(words ...string) {
	for _, w := range words {
		switch w {
		case "done":
			t.Done = true
		case "active":
			t.Active = true
		case "crit":
			t.Critical = true
		case "milestone":
			t.Moment = true
		}
	}
}

// dayOnly and withTime are layouts of dates.
const (
	dayOnly  = "2006-01-02"
	withTime = "2006-01-02 15:04"
)

// Date formats a time, without the clock time if that is midnight.
func Date(t time.Time) string {
	if t.Equal(t.Truncate(24 * time.Hour)) {
		return t.Format(dayOnly)
	}
	return t.Format(withTime)
}

// Dated returns a task that lasts from one date to another, both in the form that Date
// writes.
func Dated(start, end string) (t Task, ok bool) {
	read := func(s string) (time.Time, bool) {
		for _, format := range []string{dayOnly, withTime} {
			if at, err := time.Parse(format, strings.TrimSpace(s)); err == nil {
				return at, true
			}
		}
		return time.Time{}, false
	}
	from, a := read(start)
	to, b := read(end)
	return Task{Start: from, End: to}, a && b && !to.Before(from)
}

// plan writes a Gantt chart.
func (w *writer) plan() {
	format, written := dayOnly, "YYYY-MM-DD"
	for _, t := range w.c.Plan.Tasks {
		if len(Date(t.Start)) > len(dayOnly) || len(Date(t.End)) > len(dayOnly) {
			format, written = withTime, "YYYY-MM-DD HH:mm"
		}
	}
	w.line(0, "gantt")
	if w.c.Title != "" {
		w.line(1, "title %s", lineText(w.c.Title))
	}
	w.line(1, "dateFormat %s", written)
	section := ""
	for _, t := range w.c.Plan.Tasks {
		if t.Section != section {
			section = t.Section
			w.line(1, "section %s", lineText(section))
		}
		data := append(t.Tags(), t.Start.Format(format), t.End.Format(format))
		w.line(1, "%s :%s", strings.ReplaceAll(lineText(t.Label), ":", " "), strings.Join(data, ", "))
	}
}
