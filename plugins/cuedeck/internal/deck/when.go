package deck

import (
	"strconv"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/pdk"
)

var age = pdk.Regexp(`^([<>])(\d{1,5})([hdwmy])$`)

// When parses a condition on a time: 2024-01-01 is that day, 2024-01 that month, 2024 that year, >2w younger than two weeks, <2w
// older; units are h d w m y. > and < before a day mean after and before it. now is in milliseconds since 1970.
func When(value string, now int) (func(time.Time) bool, error) {
	value = strings.TrimSpace(value)
	if m := age().FindStringSubmatch(value); m != nil {
		n, _ := strconv.Atoi(m[2]) // only digits
		at := time.UnixMilli(int64(now)).UTC()
		switch m[3] {
		case "h":
			at = at.Add(-time.Duration(n) * time.Hour)
		case "d":
			at = at.AddDate(0, 0, -n)
		case "w":
			at = at.AddDate(0, 0, -7*n)
		case "m":
			at = at.AddDate(0, -n, 0)
		case "y":
			at = at.AddDate(-n, 0, 0)
		}
		return ordered(m[1], at, at), nil
	}
	day := strings.TrimLeft(value, "<>")
	sign := value[:len(value)-len(day)]
	for _, form := range []struct {
		layout  string
		y, m, d int
	}{{"2006-01-02", 0, 0, 1}, {"2006-01", 0, 1, 0}, {"2006", 1, 0, 0}} {
		from, err := time.Parse(form.layout, day)
		if err != nil || len(sign) > 1 {
			continue
		}
		to := from.AddDate(form.y, form.m, form.d)
		if sign != "" {
			return ordered(sign, to.Add(-1), from), nil
		}
		return func(t time.Time) bool { return !t.Before(from) && t.Before(to) }, nil
	}
	return nil, pdk.Errorf("%s is not a time: 2024-01-01 or 2024-01, >2w for younger than two weeks, <2w for older (h d w m y)", pdk.Quote(pdk.Line(value, 40)))
}

// ordered returns a condition: for > times later than after, otherwise times earlier than before.
func ordered(sign string, after, before time.Time) func(time.Time) bool {
	return func(t time.Time) bool {
		if t.IsZero() {
			return false
		}
		if sign == ">" {
			return t.After(after)
		}
		return t.Before(before)
	}
}
