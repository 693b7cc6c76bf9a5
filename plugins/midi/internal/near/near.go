// Package near corrects words that cannot be read. Each function returns likely words
// that can be read, or an empty list if there are none.
package near

import (
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/pdk"
)

// Word returns the one of words that is closest to word. A word of one or two letters
// matches only words that begin with it.
func Word(word string, words []string) []string {
	first, size := utf8.DecodeRuneInString(strings.ToLower(word))
	short := utf8.RuneCountInString(word) < 3
	best, least := "", 0
	for _, w := range pdk.Nearest(word, words) {
		low := strings.ToLower(w)
		if short && !strings.HasPrefix(low, strings.ToLower(word)) {
			continue
		}
		d := pdk.Distance(strings.ToLower(word), low, len(low))
		if r, _ := utf8.DecodeRuneInString(low); r != first && size > 0 {
			d++ // people seldom mistype the first letter
		}
		if best == "" || d < least {
			best, least = w, d
		}
	}
	if best == "" {
		return nil
	}
	return []string{best}
}

// Number returns the whole number from low to high that is closest to a number.
func Number(word string, low, high int) []string {
	f, err := strconv.ParseFloat(strings.TrimSuffix(word, "%"), 64)
	if err != nil || math.IsNaN(f) {
		return nil
	}
	return []string{strconv.Itoa(int(min(max(math.Round(f), float64(low)), float64(high))))}
}

// Span returns the part of a range of numbers, LOW-HIGH, that is between low and high.
func Span(word string, low, high int) []string {
	a, b, ok := strings.Cut(word, "-")
	from, err1 := strconv.Atoi(a)
	to, err2 := strconv.Atoi(b)
	if !ok || err1 != nil || err2 != nil {
		return nil
	}
	from, to = max(min(from, to), low), min(max(from, to), high)
	if from > to {
		return nil
	}
	return []string{strconv.Itoa(from) + "-" + strconv.Itoa(to)}
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

// halves yields the two sides of each dash in a word that may be a range.
func halves(word string) iter.Seq2[string, string] {
	return func(yield func(a, b string) bool) {
		for i := 1; i < len(word)-1; i++ {
			if word[i] == '-' && !yield(word[:i], word[i+1:]) {
				return
			}
		}
	}
}

// firstOr returns the first word of a list, or the word itself if the list is empty.
func firstOr(word string, list []string) string {
	if len(list) == 1 {
		return list[0]
	}
	return word
}

// cutAny cuts off the first of prefixes that word starts with, ignoring case.
func cutAny(word string, prefixes ...string) (rest string, ok bool) {
	i := slices.IndexFunc(prefixes, func(p string) bool { return len(word) >= len(p) && strings.EqualFold(word[:len(p)], p) })
	if i < 0 {
		return word, false
	}
	return word[len(prefixes[i]):], true
}
