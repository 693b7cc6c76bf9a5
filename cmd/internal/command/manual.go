package command

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
)

// manual prints the help texts as a manual page.
func manual(ctx context.Context, args []string, io stdio) int {
	switch {
	case len(args) == 1 && (args[0] == "-h" || args[0] == "--help"):
		fmt.Fprintln(io.out, "usage: fcp-host man\nThe page goes to stdout: fcp-host man | man -l -")
		return exitOK
	case len(args) > 0:
		io.complain("man takes no %q", args[0])
		return exitUsage
	}
	writeManual(ctx, io.out)
	return exitOK
}

func writeManual(ctx context.Context, w io.Writer) {
	var help bytes.Buffer
	usage(&help, builtinCommands())
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
	for _, s := range parseHelp(help.String()) {
		if len(s.entries) > 0 {
			fmt.Fprintf(w, ".SH %s\n", roff(strings.ToUpper(s.title)))
			writeEntries(w, s.entries)
		}
	}
	for _, c := range commands() {
		if c.hasProgramHelp() {
			continue
		}
		fmt.Fprintf(w, ".SH %s\n", roff(strings.ToUpper("fcp-host "+c.name)))
		for _, s := range parseHelp(c.help(ctx)) {
			if len(s.prose) > 0 {
				fmt.Fprint(w, ".nf\n")
				for _, line := range s.prose {
					fmt.Fprintln(w, roff(line))
				}
				fmt.Fprint(w, ".fi\n")
			}
			writeEntries(w, s.entries)
		}
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

func writeEntries(w io.Writer, entries []helpEntry) {
	for _, e := range entries {
		fmt.Fprintf(w, ".TP\n\\fB%s\\fR\n%s\n", roff(e.term), roff(e.text))
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
