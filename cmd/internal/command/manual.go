package command

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// manualForm prints the help texts as a manual page.
func manualForm() form {
	return form{
		usage: "usage: fcp-host man\nThe page goes to stdout: fcp-host man | man -l -\n",
		run: func(_ context.Context, in input, io stdio) int {
			if len(in.words) > 0 {
				io.complain("man takes no %q", in.words[0])
				return exitUsage
			}
			writeManual(io.out)
			return exitOK
		},
	}
}

func writeManual(w io.Writer) {
	fmt.Fprintf(w, ".TH FCP-HOST 1 \"\" \"fcp-host %s\" \"User Commands\"\n", roff(hostVersion()))
	fmt.Fprint(w, ".SH NAME\nfcp-host \\- serve file formats to language models over MCP\n")
	fmt.Fprint(w, ".SH SYNOPSIS\n.B fcp-host\n[\\fICOMMAND\\fR] [\\fIARGUMENTS\\fR]\n.SH DESCRIPTION\n")
	fmt.Fprint(w, "fcp-host runs file formats as sandboxed plugins and serves each as four MCP tools:\nedit, query, session and help. Without a command it serves over stdio.\n")
	fmt.Fprint(w, ".SH COMMANDS\n")
	for _, c := range commands() {
		fmt.Fprintf(w, ".TP\n\\fBfcp\\-host %s\\fR %s\n%s\n", roff(c.name), roff(c.args), roff(c.summary))
	}
	if list := builtinCommands(); len(list) > 0 {
		fmt.Fprint(w, ".SH COMMANDS OF DOMAINS\n")
		for _, c := range list {
			fmt.Fprintf(w, ".TP\n\\fBfcp\\-host\\fR %s\n%s\n", roff(c.Syntax), roff(c.Summary))
		}
	}
	for _, s := range newSettings().sections(&flagLists{}) {
		fmt.Fprintf(w, ".SH %s\n", roff(strings.ToUpper(s.title())))
		writeOptions(w, s.flags)
	}
	for _, c := range commands() {
		if c.form == nil {
			continue
		}
		f := c.form()
		fmt.Fprintf(w, ".SH %s\n", roff(strings.ToUpper("fcp-host "+c.name)))
		writeLines(w, f.usage)
		writeOptions(w, f.flags)
		writeLines(w, f.notes)
	}
	fmt.Fprint(w, `.SH FILES
.TP
fcp\-host/fcp\-host.toml, in the user's configuration folder
settings
.TP
fcp\-host/plugins, in the user's data folder
plugins that are served with those that are built in
.TP
fcp\-host/added/lock.toml, in the user's data folder
the plugins that fcp\-host plugin added, and which module each of them is
.SH EXIT STATUS
0 done, 1 something failed, 2 wrong usage; of exec also 3: the script could not be run to its end
`)
}

// writeLines writes the lines of a text as they are, except empty ones, which man would print.
func writeLines(w io.Writer, text string) {
	fmt.Fprint(w, ".nf\n")
	for line := range strings.Lines(text) {
		if line != "\n" {
			fmt.Fprint(w, roff(line))
		}
	}
	fmt.Fprint(w, ".fi\n")
}

func writeOptions(w io.Writer, options []option) {
	for _, o := range options {
		fmt.Fprintf(w, ".TP\n\\fB%s\\fR\n%s\n", roff(o.term()), roff(o.help))
	}
}

// roff escapes text so that man prints it unchanged.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, `-`, `\-`, `"`, `\(dq`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
