package pdk

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
)

// Args reads one parsed op, whose verb, keys and number of positionals the host
// has checked against the manifest.
type Args struct{ *abi.Op }

// Text is positional i, or "" if there is none.
func (a Args) Text(i int) string {
	if i >= 0 && i < len(a.Positionals) {
		return a.Positionals[i].Text
	}
	return ""
}

// WantsSVG reads the parameter format of a query that draws: svg for people, or
// png, the default, for models, which cannot see SVG. Any other value is an error.
func (a Args) WantsSVG() (bool, error) {
	switch format := strings.ToLower(a.String("format", "png")); format {
	case "png":
		return false, nil
	case "svg":
		return true, nil
	default:
		return false, Errorf("%s draws format:png and format:svg, not %s", a.Verb, Quote(format)).TryQuery(a.Mended(WithParam("format", "png")))
	}
}

// Texts returns the positionals from index i on.
func (a Args) Texts(i int) []string {
	if i >= len(a.Positionals) {
		return nil
	}
	out := make([]string, 0, len(a.Positionals)-i)
	for _, p := range a.Positionals[i:] {
		out = append(out, p.Text)
	}
	return out
}

// CutLast splits off the last n words, such as the rule of `recur @all weekly`. rest holds the remaining words, for
// Selection.Targets. Fewer than n words are an error.
func (a Args) CutLast(n int) (rest Args, words []string, err error) {
	at := len(a.Positionals) - n
	if at < 0 {
		return a, nil, Errorf("%s needs %s after its targets", a.Verb, Count(n, "word"))
	}
	words = a.Texts(at)
	return a.With(WithWords(at, n)), words, nil
}

// IsArrow reports whether positional i is an unquoted arrow.
func (a Args) IsArrow(i int) bool {
	for _, x := range a.Arrows {
		if x == i {
			return true
		}
	}
	return false
}

// Has reports whether the op has the key.
func (a Args) Has(key string) bool { _, ok := a.Param(key); return ok }

// refuseOthers refuses parameters with other keys; override.* stands for every key with that beginning. what names the
// call in the error.
func (a Args) refuseOthers(what string, keys []string) error {
	for _, p := range a.Params {
		if slices.ContainsFunc(keys, func(k string) bool {
			beginning, any := strings.CutSuffix(k, "*")
			return k == p.Key || any && strings.HasPrefix(p.Key, beginning)
		}) {
			continue
		}
		no := Errorf("%s takes no %s:", what, p.Key)
		if len(keys) > 0 {
			no.Message += ", only " + strings.Join(keys, ": ") + ":"
		}
		return no
	}
	return nil
}

// String is the value of key, or def.
func (a Args) String(key, def string) string {
	if v, ok := a.Param(key); ok {
		return v
	}
	return def
}

// Int is the value of key as an integer in lo..hi, or def when it is absent.
func (a Args) Int(key string, def, lo, hi int) (int, error) {
	v, ok := a.Param(key)
	if !ok {
		return def, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < lo || n > hi {
		bad := Errorf("%s:%s is not a whole number from %d to %d", key, v, lo, hi)
		if err == nil {
			bad.Instead(v, strconv.Itoa(min(max(n, lo), hi)))
		}
		return 0, bad
	}
	return n, nil
}

// AtMost returns the arguments with the value of a key reduced to most if it is a greater number, and then a line that says so.
func (a Args) AtMost(key string, most int) (reduced Args, note string) {
	v, _ := a.Param(key)
	if n, err := strconv.ParseFloat(v, 64); err != nil || !(n > float64(most)) {
		return a, ""
	}
	return a.With(WithParam(key, strconv.Itoa(most))), fmt.Sprintf("\n%s:%s is more than there can be; this is %s:%d", key, v, key, most)
}

// Float is the value of key as a finite number in lo..hi, or def when absent.
func (a Args) Float(key string, def, lo, hi float64) (float64, error) {
	v, ok := a.Param(key)
	if !ok {
		return def, nil
	}
	f, err := strconv.ParseFloat(v, 64)
	if err != nil || math.IsNaN(f) || f < lo || f > hi {
		bad := Errorf("%s:%s is not a number from %g to %g", key, v, lo, hi)
		if err == nil && !math.IsNaN(f) {
			bad.Instead(v, strconv.FormatFloat(min(max(f, lo), hi), 'g', -1, 64))
		}
		return 0, bad
	}
	return f, nil
}

// Bool is the value of key as true or false, or def when absent.
func (a Args) Bool(key string, def bool) (bool, error) {
	v, ok := a.Param(key)
	if !ok {
		return def, nil
	}
	switch strings.ToLower(v) {
	case "true", "yes", "on", "1":
		return true, nil
	case "false", "no", "off", "0":
		return false, nil
	}
	return false, Errorf("%s:%s is neither true nor false", key, v).Instead(v, Nearest(v, []string{"true", "false"})...)
}
