package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// form is how a command is used. Its help text, the completion of its words and its section of the manual page come from it.
type form struct {
	usage    string // the ways to call it, and what it does
	flags    []option
	notes    string                            // after the flags
	complete func(before []string) []candidate // what may follow these words, nil for files
	run      func(ctx context.Context, in input, io stdio) int
}

// option is a flag, or a word of the ways to call a command that needs words of its own.
type option struct {
	name  string // with a short form before it: "y yes"
	value string // what its value is called, "" for a flag without one; see kinds
	to    any    // what it sets, or func(string) error; nil for a word
	help  string
}

// input is what a command was given beside the values of its flags.
type input struct {
	words []string
	given map[string]bool // flags
	rest  []string        // what follows --, nil without it
}

// wrongUsage is what run returns, instead of an exit code, to have the help text printed as an error.
const wrongUsage = -1

// term writes the option as one types it.
func (o option) term() string {
	if o.to == nil {
		return o.name
	}
	var forms []string
	for name := range strings.FieldsSeq(o.name) {
		forms = append(forms, dashed(name))
	}
	return strings.TrimSpace(strings.Join(forms, ", ") + " " + o.value)
}

// dashed writes the name of a flag as one types it.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// add adds the flag to a set.
func (o option) add(f *flag.FlagSet) {
	for name := range strings.FieldsSeq(o.name) {
		switch to := o.to.(type) {
		case *bool:
			f.BoolVar(to, name, *to, "")
		case *string:
			f.StringVar(to, name, *to, "")
		case *int:
			f.IntVar(to, name, *to, "")
		case *uint64:
			f.Uint64Var(to, name, *to, "")
		case *time.Duration:
			f.DurationVar(to, name, *to, "")
		case *list:
			f.Var(to, name, "")
		case func(string) error:
			f.Func(name, "", to)
		}
	}
}

// parseFlags sets flags, which may come before and after words. An error is a single line.
func parseFlags(flags []option, args []string) (in input, err error) {
	f := flag.NewFlagSet("", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	for _, o := range flags {
		o.add(f)
	}
	if i := slices.Index(args, "--"); i >= 0 {
		args, in.rest = args[:i], args[i+1:]
	}
	for err = f.Parse(args); err == nil && f.NArg() > 0; err = f.Parse(args) {
		in.words, args = append(in.words, f.Arg(0)), f.Args()[1:]
	}
	in.given = map[string]bool{}
	f.Visit(func(f *flag.Flag) { in.given[f.Name] = true })
	return in, wrongFlag(err)
}

// wrongFlag rewrites an error of package flag with flags spelled as in --help.
func wrongFlag(err error) error {
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return err
	}
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		text = "unknown flag --" + name
	} else if name, ok := strings.CutPrefix(text, "flag needs an argument: -"); ok {
		text = "--" + name + " needs a value"
	}
	return errors.New(strings.Replace(text, " for flag -", " for --", 1) + "; --help lists the flags")
}

// start parses args and runs the command.
func (f form) start(ctx context.Context, args []string, io stdio) int {
	in, err := parseFlags(f.flags, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		f.print(io.out)
		return exitOK
	case err != nil:
		io.complain("%v", err)
		return exitUsage
	}
	code := f.run(ctx, in, io)
	if code == wrongUsage {
		f.print(io.err)
		return exitUsage
	}
	return code
}

// print prints the help text.
func (f form) print(w io.Writer) {
	fmt.Fprint(w, f.usage)
	printOptions(w, f.flags)
	fmt.Fprint(w, f.notes)
}

// printOptions prints what options mean, in lines of at most helpWidth characters.
func printOptions(w io.Writer, list []option) {
	const helpWidth, widest = 112, 18
	column := 0
	for _, o := range list {
		if n := utf8.RuneCountInString(o.term()); n <= widest {
			column = max(column, n)
		}
	}
	for _, o := range list {
		line := fmt.Sprintf("  %-*s ", column, o.term())
		for word := range strings.FieldsSeq(o.help) {
			if utf8.RuneCountInString(line+word) >= helpWidth {
				fmt.Fprintln(w, line)
				line = strings.Repeat(" ", column+3)
			}
			line += " " + word
		}
		fmt.Fprintln(w, line)
	}
}

// durationIn returns a setter of a flag that is a duration; want says which ones it takes.
func durationIn(to *time.Duration, least, most time.Duration, want string) func(string) error {
	return func(text string) error {
		d, err := time.ParseDuration(text)
		if err != nil || d < least || d > most {
			return errors.New("it must be a duration " + want)
		}
		*to = d
		return nil
	}
}
