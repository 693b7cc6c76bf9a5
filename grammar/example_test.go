package grammar_test

import (
	"errors"
	"fmt"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/grammar"
)

func ExampleParse() {
	op, err := grammar.Parse(`add db "User DB" near:Auth theme:blue @not:group:Edge`, grammar.Rules{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(op.Verb)
	fmt.Println(op.Positionals)
	fmt.Println(op.Params)
	fmt.Println(op.Selectors[0].Type, op.Selectors[0].Value, op.Selectors[0].Negated)
	// Output:
	// add
	// [{db false} {User DB true}]
	// [{near Auth false} {theme blue false}]
	// group Edge true
}

// An error says where the text is wrong, and what would be accepted.
func ExampleParse_error() {
	_, err := grammar.Parse(`label Auth "Sign in`, grammar.Rules{})
	var e *grammar.Error
	if errors.As(err, &e) {
		fmt.Println(e.Message)
		fmt.Println(e.Try)
	}
	// Output:
	// unterminated quote: the " at column 12 has no closing "
	// [label Auth "Sign in"]
}

// Rules are what one domain adds to the grammar: here references such as db:Cache, and a verb with a block.
func ExampleCompileRules() {
	rules, err := grammar.CompileRules([]string{"(?:db|svc):[^:/].*"}, map[string]string{"drums": "end"})
	if err != nil {
		fmt.Println(err)
		return
	}
	op, _ := grammar.Parse("connect db:Cache -> svc:Auth", rules)
	fmt.Println(op.Positionals, op.Params, op.Arrows)
	op, _ = grammar.Parse("drums Kit at:1.1\nkick:  x...x...\nend", rules)
	fmt.Printf("%s %q\n", op.Verb, op.Block)
	// Output:
	// [{db:Cache false} {-> false} {svc:Auth false}] [] [1]
	// drums ["kick:  x...x..."]
}

// A query is parsed before its domain is known; then the domain's words become positionals.
func ExampleRules_Claim() {
	rules, _ := grammar.CompileRules([]string{"(?:db|svc):[^:/].*"}, nil)
	op, _ := grammar.ParseQuery("describe Auth db:Cache page:2")
	rules.Claim(&op)
	fmt.Println(op.Positionals, op.Params)
	// Output: [{Auth false} {db:Cache false}] [{page 2 false}]
}

// The ops of one call: an element may hold several, each on its own line.
func ExampleParseAll() {
	for _, item := range grammar.ParseAll([]string{"add svc Auth\nadd db Users", `remove "Auth`}, grammar.Rules{}) {
		if item.Err != nil {
			fmt.Println("error:", item.Err.Message)
			continue
		}
		fmt.Println(item.Op.Verb, item.Op.Positionals)
	}
	// Output:
	// add [{svc false} {Auth false}]
	// add [{db false} {Users false}]
	// error: unterminated quote: the " at column 8 has no closing "
}

func ExampleParseAction() {
	action, _ := grammar.ParseAction(`save as:"./My song.mid" force`)
	path, _ := action.Param("as")
	fmt.Printf("%s %q %v\n", action.Verb, path, action.Positionals)
	// Output: save "./My song.mid" [{force false}]
}

// The printed text parses to the same op: words are quoted if they would otherwise be read as something else.
func ExampleOp_String() {
	op := grammar.Op{Op: abi.Op{
		Verb:        "label",
		Positionals: []abi.Positional{{Text: "Auth"}, {Text: "at:1.1"}},
		Params:      []abi.KeyValue{{Key: "font", Value: "Fira Sans"}},
	}}
	fmt.Println(op)
	// Output: label Auth "at:1.1" font:"Fira Sans"
}

func ExampleNearest() {
	fmt.Println(grammar.Nearest("conect", []string{"add", "connect", "disconnect", "copy"}))
	fmt.Println(grammar.Nearest("unmute", []string{"mute", "solo"})) // the opposite is not a misspelling
	// Output:
	// [connect]
	// []
}

func ExampleQuote() {
	fmt.Println(grammar.Quote("two\nlines, \"quoted\""))
	// Output: "two\nlines, \"quoted\""
}
