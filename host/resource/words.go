package resource

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/files"
)

// A Word is a word of a call that may name a resource.
type Word struct {
	Op   int           // index of the op in the call
	Text string        // as the user wrote it
	As   *abi.Resource // the kind of resource it may name
}

// Words lists those of op, which is number n of its call.
func Words(list []abi.Resource, op *abi.Op, n int) (words []Word) {
	for i := range list {
		r := &list[i]
		switch {
		case !r.Of(op):
		case r.Key != "":
			for _, p := range op.Params {
				if p.Key == r.Key {
					words = append(words, Word{n, p.Value, r})
				}
			}
		case r.Position < 0:
			for _, p := range op.Positionals {
				words = append(words, Word{n, p.Text, r})
			}
		case r.Position <= len(op.Positionals):
			words = append(words, Word{n, op.Positionals[r.Position-1].Text, r})
		}
	}
	return words
}

// key is equal for words that name the same resource.
func (w *Word) key() string {
	return strings.Join(slices.Concat([]string{w.As.Kind, w.Text, w.As.Want}, w.As.Path, w.As.Accept), "\x00")
}

// isPath reports whether a word may be a path.
func isPath(word string) bool { return strings.ContainsAny(word, `/.\`) }

// isPlainPath reports whether a word can only be a path.
func isPlainPath(word string) bool {
	return files.IsURI(word) || slices.ContainsFunc([]string{"./", "../", "/", "~/"}, func(p string) bool { return strings.HasPrefix(word, p) })
}

func hasEnding(endings []string, name string) bool {
	name = strings.ToLower(name)
	return len(endings) == 0 || slices.ContainsFunc(endings, func(e string) bool { return strings.HasSuffix(name, strings.ToLower(e)) })
}
