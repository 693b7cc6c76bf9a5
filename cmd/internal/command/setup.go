package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/host/clients"
	"github.com/fcp-host/fcp-host/host/files"
)

// setupFlags are the flags of setup.
type setupFlags struct {
	name                     string
	project, printed, remove bool
}

// setupForm adds this server to the configuration of an MCP client.
func setupForm() form {
	given := setupFlags{name: "fcp"}
	return form{
		usage: `usage: fcp-host setup                              list the clients, and which of them start this server
       fcp-host setup CLIENT [flags] [-- ARGS…]    add it to a client, with these arguments
`,
		flags: []option{
			{"CLIENT", "", nil, strings.Join(clients.Names(), ", ")},
			{"project", "", &given.project, "use the settings of the project in this folder, instead of the user's"},
			{"name", "N", &given.name, "the server's name in the client (default fcp)"},
			{"print", "", &given.printed, "write nothing; print the entry for the file"},
			{"remove", "", &given.remove, "remove the server again"},
		},
		notes: "Everything else in the client's file keeps its bytes.\n",
		complete: first(func() (list []candidate) {
			for _, c := range clients.All() {
				list = append(list, candidate{c.Name, c.Title})
			}
			return list
		}),
		run: func(_ context.Context, in input, io stdio) int {
			if len(in.words) > 1 || given.name == "" || given.remove && (given.printed || in.rest != nil) ||
				len(in.words) == 0 && (len(in.given) > 0 || in.rest != nil) {
				return wrongUsage
			}
			return setup(given, in, io)
		},
	}
}

func setup(given setupFlags, in input, io stdio) int {
	home, err := os.UserHomeDir()
	if err != nil {
		io.complain("no home folder: %v", err)
		return exitFailed
	}
	m := clients.Machine{OS: runtime.GOOS, Home: home, Getenv: os.Getenv, Exists: func(path string) bool {
		_, err := os.Stat(path)
		return err == nil
	}}
	if len(in.words) == 0 {
		listClients(m, given.name, io)
		return exitOK
	}
	c, ok := clients.Named(in.words[0])
	if !ok {
		io.complain("unknown client %q; there are %s", in.words[0], strings.Join(clients.Names(), ", "))
		return exitUsage
	}
	do := setting{client: c, machine: m, server: clients.Server{Name: given.name, Args: in.rest}, explicit: in.rest != nil, project: given.project, file: c.File(m)}
	if given.project {
		if c.Project == "" {
			io.complain("%s has no project settings; without --project setup uses %s", c.Title, do.file)
			return exitUsage
		}
		if do.file, err = filepath.Abs(c.Project); err != nil {
			io.complain("%v", err)
			return exitFailed
		}
	}
	switch {
	case given.printed:
		err = do.print(io)
	case given.remove:
		err = do.remove(io)
	default:
		err = do.write(io)
	}
	if err != nil {
		io.complain("%v", err)
		return exitFailed
	}
	return exitOK
}

// listClients prints for each client whether it starts this server.
func listClients(m clients.Machine, name string, io stdio) {
	for _, c := range clients.All() {
		state := "not found here"
		file := c.File(m)
		content, err := os.ReadFile(file)
		switch {
		case err == nil:
			s, err := c.Format.Get(content, name)
			switch {
			case err != nil:
				state = fmt.Sprintf("%s: %v", file, err)
			case s == nil:
				state = "not added; run fcp-host setup " + c.Name
			default:
				state = strings.Join(append([]string{"starts", s.Command}, s.Args...), " ")
			}
		case !errors.Is(err, fs.ErrNotExist):
			state = err.Error()
		case filepath.Dir(file) != m.Home && m.Exists(filepath.Dir(file)):
			state = "not added; run fcp-host setup " + c.Name
		}
		fmt.Fprintf(io.out, "%-15s %s\n", c.Name, state)
	}
}

// setting is a change to a client's file.
type setting struct {
	client   clients.Client
	machine  clients.Machine
	server   clients.Server
	explicit bool // whether its arguments were given
	project  bool // whether the file is the project's
	file     string
	passing  string // the program to copy to where clients start it; "" if it stays where it is
}

// launchers lists the commands of other programs that start this one, which people write and earlier versions wrote.
var launchers = [][]string{{"cmd", "/c", "npx", "-y", "fcp-host"}, {"npx", "-y", "fcp-host"}}

// ownArguments reports whether a server is this program, and returns its arguments.
func ownArguments(s clients.Server) ([]string, bool) {
	words := append([]string{s.Command}, s.Args...)
	for _, t := range launchers {
		if len(words) >= len(t) && slices.Equal(words[:len(t)], t) {
			return words[len(t):], true
		}
	}
	base := s.Command[strings.LastIndexAny(s.Command, `/\`)+1:]
	return s.Args, strings.TrimSuffix(base, ".exe") == "fcp-host"
}

// read returns the file's content (none if it does not exist), the server it has (or nil), and the
// version that may be overwritten.
func (do *setting) read() (content []byte, is *clients.Server, over files.Over, err error) {
	if real, err := filepath.EvalSymlinks(do.file); err == nil {
		do.file = real
	}
	roots, err := files.NewRoots(filepath.Dir(do.file))
	if err != nil {
		return nil, nil, over, nil // no folder yet
	}
	if !roots.Exists(do.file) {
		return nil, nil, over, nil
	}
	content, stamp, err := roots.Read(do.file)
	if err != nil {
		return nil, nil, over, err
	}
	if is, err = do.client.Format.Get(content, do.server.Name); err != nil {
		return nil, nil, over, fmt.Errorf("%s: %w", do.file, err)
	}
	return content, is, files.Over{Known: []files.Stamp{stamp}}, nil
}

// complete sets the server's command and arguments: those given, else those it has, else those the
// client needs.
func (do *setting) complete(is *clients.Server) error {
	command, passing, err := startCommand()
	if err != nil {
		return err
	}
	rest := do.server.Args
	if !do.explicit {
		rest = do.client.Args(do.machine, do.project)
	}
	if is != nil {
		has, ours := ownArguments(*is)
		if !ours && is.Command != command {
			return fmt.Errorf("%s has a server %s that is another program; use --name to add this one under another name", do.file, do.server.Name)
		}
		if !do.explicit && (do.project || !slices.Equal(has, clients.Workspace())) { // which earlier versions wrote to users' files, too
			rest = has
		}
	}
	do.server.Command, do.server.Args, do.passing = command, rest, passing
	return nil
}

// install copies the program to where clients start it, unless it stays where it is.
func (do *setting) install(io stdio) error {
	if do.passing == "" {
		return nil
	}
	copied, err := keepCopy(do.passing, do.server.Command)
	if copied {
		fmt.Fprintf(io.out, "copied this program to %s, since %s is kept for a while only; setup of a newer version replaces the copy\n", do.server.Command, do.passing)
	}
	return err
}

// grants says which files the server may open and save.
func (do *setting) grants() string {
	var roots []string
	for i, arg := range do.server.Args {
		if root, ok := strings.CutPrefix(arg, "--root="); ok {
			roots = append(roots, root)
		} else if arg == "--root" && i+1 < len(do.server.Args) {
			roots = append(roots, do.server.Args[i+1])
		}
	}
	switch {
	case len(roots) == 0:
		return do.client.Folder + "; for others add -- --root DIR"
	case slices.Equal(roots, []string{do.machine.Home}):
		return "everything in your home folder " + roots[0] + "; for less, add -- --root DIR"
	}
	return "everything below " + strings.Join(roots, " and ")
}

func (do *setting) line() string {
	return strings.Join(append([]string{do.server.Command}, do.server.Args...), " ")
}

func (do *setting) write(io stdio) error {
	content, is, over, err := do.read()
	if err != nil {
		return err
	}
	if err := do.complete(is); err != nil {
		return err
	}
	if is != nil && is.Command == do.server.Command && slices.Equal(is.Args, do.server.Args) {
		fmt.Fprintf(io.out, "%s already starts it, from %s:\n  %s\nIt may open and save files in: %s.\n", do.client.Title, do.file, do.line(), do.grants())
		return do.install(io)
	}
	out, err := do.client.Format.Set(content, do.server)
	if err != nil {
		return do.byHand(err)
	}
	if err := do.install(io); err != nil {
		return err
	}
	if err := do.save(out, over); err != nil {
		return err
	}
	what := "added to"
	if is != nil {
		what = "changed in"
	}
	fmt.Fprintf(io.out, "%s: %s %s %s\n  %s\nIt may open and save files in: %s.\nNext: %s. To undo: fcp-host %s\n",
		do.client.Title, do.server.Name, what, do.file, do.line(), do.grants(), do.client.Next, do.undo())
	return nil
}

// undo returns the command that removes the server again.
func (do *setting) undo() string {
	s := "setup " + do.client.Name + " --remove"
	if do.server.Name != "fcp" {
		s += " --name " + do.server.Name
	}
	if do.project {
		s += " --project"
	}
	return s
}

// byHand adds to an error what the user can put into the file.
func (do *setting) byHand(err error) error {
	part, perr := do.client.Format.Set(nil, do.server)
	if perr != nil {
		return fmt.Errorf("%s: %w", do.file, err)
	}
	return fmt.Errorf("%s: %w; add this by hand:\n%s", do.file, err, part)
}

func (do *setting) save(content []byte, over files.Over) error {
	if err := os.MkdirAll(filepath.Dir(do.file), 0o755); err != nil {
		return err
	}
	roots, err := files.NewRoots(filepath.Dir(do.file))
	if err != nil {
		return err
	}
	_, err = roots.Write(do.file, content, over)
	return err
}

func (do *setting) remove(io stdio) error {
	content, is, over, err := do.read()
	switch {
	case err != nil:
		return err
	case is == nil:
		fmt.Fprintf(io.out, "%s has no server %s in %s\n", do.client.Title, do.server.Name, do.file)
		return nil
	}
	if _, ours := ownArguments(*is); !ours {
		return fmt.Errorf("%s has a server %s that is another program", do.file, do.server.Name)
	}
	out, err := do.client.Format.Remove(content, do.server.Name)
	if err != nil {
		return fmt.Errorf("%s: %w", do.file, err)
	}
	if err := do.save(out, over); err != nil {
		return err
	}
	fmt.Fprintf(io.out, "%s: %s removed from %s\n", do.client.Title, do.server.Name, do.file)
	return nil
}

func (do *setting) print(io stdio) error {
	if err := do.complete(nil); err != nil {
		return err
	}
	out, err := do.client.Format.Set(nil, do.server)
	if err != nil {
		return err
	}
	if do.passing != "" {
		fmt.Fprintf(io.err, "copy %s to %s first: where it is, it is kept for a while only\n", do.passing, do.server.Command)
	}
	fmt.Fprintf(io.err, "%s reads its servers from %s:\n", do.client.Title, do.file)
	_, err = io.out.Write(out)
	return err
}
