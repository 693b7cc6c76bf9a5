// Package near corrects words that cannot be read. Each function returns likely words
// that can be read, or an empty list if there are none.
package near

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
)

// Word returns the one of words that is closest to word.
func Word(word string, words []string) []string {
	list := pdk.Nearest(word, words)
	return list[:min(len(list), 1)]
}

// Number returns the whole number from low to high that is closest to a number.
func Number(word string, low, high int) []string {
	f, err := strconv.ParseFloat(strings.TrimSuffix(word, "%"), 64)
	if err != nil || math.IsNaN(f) {
		return nil
	}
	return []string{strconv.Itoa(int(min(max(math.Round(f), float64(low)), float64(high))))}
}

// Span returns a range of numbers, LOW-HIGH, in that order and limited to low and high.
func Span(word string, low, high int) []string {
	a, b, _ := strings.Cut(word, "-")
	from, err1 := strconv.Atoi(a)
	to, err2 := strconv.Atoi(b)
	if err1 != nil || err2 != nil || max(from, to) < low || min(from, to) > high {
		return nil
	}
	return []string{strconv.Itoa(max(min(from, to), low)) + "-" + strconv.Itoa(min(max(from, to), high))}
}

// Swapped returns a range with its ends in the other order, if read then accepts it.
func Swapped(word string, read func(string) error) []string {
	for i := 1; i < len(word)-1; i++ {
		if word[i] == '-' {
			if list := readable(word, read, word[i+1:]+"-"+word[:i]); list != nil {
				return list
			}
		}
	}
	return nil
}

// readable returns the first of tries that differs from the word and that read accepts.
func readable(word string, read func(string) error, tries ...string) []string {
	for _, try := range tries {
		if try != word && read(try) == nil {
			return []string{try}
		}
	}
	return nil
}

// cutAny cuts off the first of prefixes that word starts with, ignoring case.
func cutAny(word string, prefixes ...string) (rest string, ok bool) {
	i := slices.IndexFunc(prefixes, func(p string) bool { return len(word) >= len(p) && strings.EqualFold(word[:len(p)], p) })
	if i < 0 {
		return word, false
	}
	return word[len(prefixes[i]):], true
}
