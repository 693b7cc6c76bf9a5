package style

import "strings"

// Synonym is the type that somebody may mean who writes another word for it,
// "" where none is known. A synonym is a suggestion, not a type.
func Synonym(word string) string {
	word = strings.ToLower(strings.TrimRight(word, "s"))
	for _, s := range []struct{ kind, words string }{
		{"box", " rect rectangle square block node shape "},
		{"svc", " service server microservice component app application module backend frontend worker "},
		{"circle", " ellipse oval round start end terminator "},
		{"decision", " diamond rhombu condition choice branch if "},
		{"db", " database cylinder datastore store storage "},
		{"api", " hexagon endpoint gateway "},
		{"cloud", " internet network "},
		{"actor", " person user human people stickman umlactor customer "},
		{"doc", " document file page report "},
		{"queue", " topic bu mq stream "},
		{"process", " step task activity action subroutine "},
		{"note", " comment sticky annotation "},
		{"text", " label caption title heading "},
		{"lane", " swimlane "},
		{"class", " uml umlclas interface clas "},
		{"entity", " er erd "},
		{"image", " picture icon photo img logo "},
		{"frame", " group container boundary cluster zone subgraph "},
		{"table", " grid "},
	} {
		if strings.Contains(s.words, " "+word+" ") {
			return s.kind
		}
	}
	return ""
}
