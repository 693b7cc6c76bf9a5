package command

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/sdk"
)

// newForm writes the folder of a new domain.
func newForm() form {
	lang, checkout := sdk.Names()[0], ""
	return form{
		usage: `usage: fcp-host new NAME [--lang LANGUAGE] [--sdk DIR]
Writes a domain called NAME into a folder of that name, with tests, a Makefile and a README. It builds and passes
conform; change it step by step.
`,
		flags: []option{
			{"lang", "L", &lang, strings.Join(sdk.Names(), ", ") + " (default " + lang + ")"},
			{"sdk", "DIR", &checkout, "for Go: take the SDK from this checkout of fcp-host instead of a published version"},
		},
		run: func(_ context.Context, in input, io stdio) int {
			if len(in.words) != 1 {
				return wrongUsage
			}
			return newDomain(in.words[0], lang, checkout, io)
		},
	}
}

func newDomain(name, lang, checkout string, io stdio) int {
	if err := domain.CheckName(name); err != nil {
		io.complain("%v", err)
		return exitUsage
	}
	l, ok := sdk.Find(lang)
	if !ok {
		io.complain("unknown language %q; there are %s", lang, strings.Join(sdk.Names(), ", "))
		return exitUsage
	}
	m, err := goModule(checkout)
	if err != nil {
		io.complain("--sdk: %v", err)
		return exitUsage
	}
	files, err := l.Write(name, name, m)
	if err != nil {
		io.complain("%v", err)
		return exitFailed
	}
	fmt.Fprintf(io.out, "wrote %s, a domain in %s that edits .%s files:\n", name+string(filepath.Separator), l.Language, name)
	for _, file := range files {
		fmt.Fprintf(io.out, "  %s\n", file)
	}
	fmt.Fprintf(io.out, "\nIt needs %s, and make. Next:\n  cd %s\n", strings.ReplaceAll(l.Needs, "`", ""), name)
	if l.Name == "go" && m == (sdk.Module{}) {
		fmt.Fprintln(io.out, "  # this fcp-host is not a published version: put the folder of its sources in the last line of go.mod")
	}
	fmt.Fprintf(io.out, "  make test       # build it, run its tests, check it against the ABI\n  fcp-host dev    # rebuild and check it at each save\n")
	return exitOK
}

// released matches versions that a Go module can require.
var released = regexp.MustCompile(`^v?\d+\.\d+\.\d+$`)

// goModule returns where a Go domain takes the SDK from: the named checkout, the published version
// of this program, or the checkout it was built in.
func goModule(checkout string) (sdk.Module, error) {
	if checkout != "" {
		dir, err := filepath.Abs(checkout)
		if err == nil && !isCheckout(dir) {
			err = fmt.Errorf("%s is not a checkout of fcp-host: it does not contain its go.mod", checkout)
		}
		return sdk.Module{Checkout: dir}, err
	}
	if released.MatchString(hostVersion()) {
		return sdk.Module{Version: "v" + strings.TrimPrefix(hostVersion(), "v")}, nil
	}
	if self, err := os.Executable(); err == nil {
		for dir := filepath.Dir(self); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
			if isCheckout(dir) {
				return sdk.Module{Checkout: dir}, nil
			}
		}
	}
	return sdk.Module{}, nil
}

// isCheckout reports whether a folder contains the sources of fcp-host.
func isCheckout(dir string) bool {
	f, err := os.Open(filepath.Join(dir, "go.mod"))
	if err != nil {
		return false
	}
	defer f.Close()
	line, _ := bufio.NewReader(f).ReadString('\n')
	return strings.TrimSpace(line) == "module "+sdk.Path
}
