package pdk

import (
	"strconv"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
)

// mostNamed is the maximum number of names in a reply.
const mostNamed = 8

// Done makes the reply of a verb that changed any number of elements: `done "Buy milk"` of the given kind for one,
// `done 12 tasks: "Buy milk", …` as a bulk change for several, and Unchanged for none. did is the word for the change,
// such as the verb's name, and noun the word for one element. Names are printed as by Quote, so that they can be copied.
// A verb ends with it:
//
//	return c.Done(abi.Changed, "done", "task", names)
func (c *Ctx[M]) Done(kind abi.Kind, did, noun string, names []string) error {
	switch len(names) {
	case 0:
		return Unchanged("%s: nothing to change", did)
	case 1:
		c.say(kind, "%s", []any{did + " " + Quote(names[0])})
		return nil
	}
	shown := make([]string, min(len(names), mostNamed))
	for i := range shown {
		shown[i] = Quote(names[i])
	}
	list := strings.Join(shown, ", ")
	if len(names) > mostNamed {
		list += ", …"
	}
	c.Bulk("%s %s: %s", did, Count(len(names), noun), list)
	return nil
}

// Line joins a text to one line of at most n characters.
func Line(s string, n int) string {
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// List joins at most most words by commas, and says how many more there are.
func List(words []string, most int) string {
	if more := len(words) - most; more > 0 {
		return strings.Join(words[:most], ", ") + " and " + strconv.Itoa(more) + " more"
	}
	return strings.Join(words, ", ")
}

// Count prints a number of things: "1 task", "2 tasks".
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}
