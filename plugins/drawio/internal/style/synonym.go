package style

import (
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
)

// Synonym returns the type that a word is a synonym of, or "". Synonyms are only suggested: no op accepts them as
// types.
func Synonym(word string) string {
	word = strings.ToLower(strings.TrimRight(word, "s"))
	for _, s := range synonyms() {
		if strings.Contains(s.words, " "+word+" ") {
			return s.kind
		}
	}
	return ""
}

// NearSynonyms returns the types with a synonym that resembles word.
func NearSynonyms(word string) (out []string) {
	var words []string
	for _, s := range synonyms() {
		words = append(words, strings.Fields(s.words)...)
	}
	for _, w := range pdk.Nearest(word, words) {
		if kind := Synonym(w); kind != "" && !slices.Contains(out, kind) {
			out = append(out, kind)
		}
	}
	return out
}

type synonym struct{ kind, words string }

func synonyms() []synonym {
	return []synonym{
		{"box", " rect rectangle square block node shape "},
		{"svc", " service srv server microservice app application module backend frontend worker "},
		{"circle", " ellipse oval round start end terminator "},
		{"decision", " diamond rhombu condition choice branch if "},
		{"db", " database cylinder datastore store storage "},
		{"api", " hexagon endpoint "},
		{"cloud", " internet network "},
		{"actor", " user human people stickman umlactor customer "},
		{"doc", " document file page report "},
		{"queue", " topic bu mq stream "},
		{"process", " step activity action subroutine "},
		{"note", " comment sticky annotation "},
		{"text", " label caption title heading "},
		{"lane", " swimlane "},
		{"class", " uml umlclas interface clas "},
		{"entity", " er erd "},
		{"image", " picture icon photo img logo "},
		{"frame", " group boundary cluster zone subgraph "},
		{"table", " grid "},
		{"participant", " lifeline "},
		{"final", " endstate "},
		{"initial", " startstate "},
		{"gateway", " xor "},
	}
}
