package command

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/host/clients"
	"github.com/fcp-host/fcp-host/host/session"
)

// skillRun is one run of the command skill.
type skillRun struct {
	domains                []string
	install, removing, out string
	project, force         bool
	io                     stdio
}

// skillForm prints, writes or removes the skills of domains.
func skillForm() form {
	var r skillRun
	var names []string
	for _, c := range skillClients() {
		names = append(names, c.word)
	}
	return form{
		usage: `usage: fcp-host skill [DOMAIN…]                     print the skills of domains (default: all that are served)
       fcp-host skill [DOMAIN…] --install CLIENT    write them where a client looks for skills
       fcp-host skill [DOMAIN…] --remove CLIENT     remove them there
       fcp-host skill [DOMAIN…] --out DIR           write them into a folder, as DIR/fcp-DOMAIN/SKILL.md
`,
		flags: []option{
			{"install", "CLIENT", &r.install, strings.Join(names, ", ")},
			{"remove", "CLIENT", &r.removing, "one of these, too"},
			{"out", "DIR", &r.out, "any folder"},
			{"project", "", &r.project, "use the folder of the project in this folder, instead of the user's"},
			{"force", "", &r.force, "replace or remove a skill that was changed by hand, too"},
		},
		notes:    "A skill teaches an agent with a shell to work with a domain through fcp-host exec. A DOMAIN may be a .wasm file.\n",
		complete: func([]string) []candidate { return pluginNames() },
		run: func(ctx context.Context, in input, io stdio) int {
			r.domains, r.io = in.words, io
			return r.run(ctx)
		},
	}
}

func (r *skillRun) run(ctx context.Context) int {
	given := 0
	for _, s := range []string{r.install, r.removing, r.out} {
		if s != "" {
			given++
		}
	}
	if given > 1 || r.project && r.install+r.removing == "" || r.force && given == 0 {
		return wrongUsage
	}
	var err error
	dir := expandHome(r.out)
	if client := r.install + r.removing; client != "" {
		if dir, err = r.folder(client); err != nil {
			r.io.complain("%v", err)
			return exitUsage
		}
	}
	if r.removing != "" {
		return r.remove(dir)
	}
	skills, ok := r.skills(ctx)
	if !ok {
		return exitFailed
	}
	if dir == "" {
		for i, s := range skills {
			if i > 0 {
				fmt.Fprintln(r.io.out)
			}
			fmt.Fprint(r.io.out, s.Text)
		}
		return exitOK
	}
	return r.write(dir, skills)
}

// folder is where a client looks for skills.
func (r *skillRun) folder(client string) (string, error) {
	f, err := clients.SkillFolderOf(client)
	if err != nil {
		return "", err
	}
	if r.project {
		return filepath.Abs(f.Project)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("no home folder: %w", err)
	}
	return f.User(clients.Machine{OS: runtime.GOOS, Home: home, Getenv: os.Getenv}), nil
}

// skills writes the skills of the domains. It runs only plugins whose manifest is not known yet.
func (r *skillRun) skills(ctx context.Context) (list []session.Skill, ok bool) {
	var args []string
	for _, d := range r.domains {
		args = append(args, "--plugin", d)
	}
	s, _, _ := flags("exec", args, r.io)
	if s == nil {
		return nil, false
	}
	s.brief = true
	set, _ := s.load(r.io, slog.New(slog.DiscardHandler))
	if set == nil {
		return nil, false
	}
	defer set.Close()
	if set.Until(ctx, func() bool { return set.Catalog().Pending == 0 }) != nil {
		return nil, false
	}
	command := self.Name
	if r.install != "" {
		command = shellCommand()
	}
	for _, p := range set.Plugins() {
		run := command + " exec"
		if word := r.needsPlugin(p.Path, p.Domain.Name()); word != "" {
			run += " --plugin " + shellWord(word)
		}
		list = append(list, session.NewSkill(p.Domain.Manifest, run))
	}
	slices.SortFunc(list, func(a, b session.Skill) int { return strings.Compare(a.Name, b.Name) })
	return list, len(list) > 0 && len(list) >= len(r.domains)
}

// needsPlugin returns what exec has to be told with --plugin in order to serve a plugin; "" for nothing.
func (r *skillRun) needsPlugin(path, domain string) string {
	for _, d := range r.domains {
		if info, err := os.Stat(d); err == nil && !info.IsDir() {
			a, errA := filepath.EvalSymlinks(d)
			b, errB := filepath.EvalSymlinks(path)
			if abs, err := filepath.Abs(d); err == nil && errA == nil && errB == nil && filepath.Base(a) == filepath.Base(b) {
				return abs
			}
		}
	}
	all, _ := builtin() // an error was reported when they were loaded
	for _, b := range all {
		if b.Remote && b.Name == domain {
			return domain
		}
	}
	return ""
}

// shellCommand is how an agent's shell starts this program: by its name if that is on the PATH.
func shellCommand() string {
	command, passing, err := startCommand()
	switch {
	case err != nil:
		return self.Name
	case passing != "":
		return "npx -y fcp-host" // no copy is kept for a shell, which has npx
	}
	if found, err := exec.LookPath(self.Name); err == nil && found == command {
		return self.Name
	}
	return shellWord(command)
}

// shellWord quotes a word for a shell if that is needed.
func shellWord(w string) string {
	if regexp.MustCompile(`^[A-Za-z0-9_./:@%+=-]+$`).MatchString(w) {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

// A written skill ends with a line that has the hash of what precedes it, so that a later run sees whether somebody has
// changed it.
var skillMark = regexp.MustCompile(`\n<!-- by fcp-host skill, ([0-9a-f]{16}) -->\n$`)

func marked(text string) string {
	return text + "\n<!-- by fcp-host skill, " + shortHash(text) + " -->\n"
}

func shortHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// isOurs reports whether a file is a skill as it was written.
func isOurs(content string) bool {
	m := skillMark.FindStringSubmatchIndex(content)
	return m != nil && content[m[2]:m[3]] == shortHash(content[:m[0]])
}

// write writes the skills into a folder of skills.
func (r *skillRun) write(dir string, skills []session.Skill) int {
	code := exitOK
	for _, s := range skills {
		path := filepath.Join(dir, s.Name, "SKILL.md")
		text := marked(s.Text)
		was, err := os.ReadFile(path)
		what := "wrote"
		switch {
		case err == nil && string(was) == text:
			what = "is up to date:"
		case err == nil && !isOurs(string(was)) && !r.force:
			r.io.complain("%s was changed by hand, so it is kept; --force replaces it", path)
			code = exitFailed
			continue
		case err == nil:
			what = "replaced"
		case !errors.Is(err, fs.ErrNotExist):
			r.io.complain("%v", err)
			code = exitFailed
			continue
		}
		if string(was) != text {
			if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
				err = os.WriteFile(path, []byte(text), 0o644)
			}
			if err != nil {
				r.io.complain("%v", err)
				return exitFailed
			}
		}
		fmt.Fprintf(r.io.out, "%s %s\n", what, path)
	}
	if r.install != "" && code == exitOK {
		more := ""
		if r.project {
			more = " --project"
		}
		fmt.Fprintf(r.io.out, "Start a new session of the client. To undo: fcp-host skill --remove %s%s\n", r.install, more)
	}
	return code
}

// remove removes skills from a folder of skills: those of the named domains, or all that this program wrote.
func (r *skillRun) remove(dir string) int {
	var names []string
	for _, d := range r.domains {
		names = append(names, session.SkillName(strings.TrimSuffix(filepath.Base(d), ".wasm")))
	}
	if len(names) == 0 {
		entries, _ := os.ReadDir(dir) // without the folder there is nothing to remove
		for _, e := range entries {
			if text, err := os.ReadFile(filepath.Join(dir, e.Name(), "SKILL.md")); err == nil && skillMark.Match(text) {
				names = append(names, e.Name())
			}
		}
	}
	code := exitOK
	if len(names) == 0 {
		fmt.Fprintf(r.io.out, "no skill of fcp-host in %s\n", dir)
	}
	for _, name := range names {
		path := filepath.Join(dir, name, "SKILL.md")
		text, err := os.ReadFile(path)
		if err == nil && !isOurs(string(text)) && !r.force {
			err = fmt.Errorf("%s was changed by hand, so it is kept; --force removes it", path)
		}
		if err == nil {
			err = os.Remove(path)
		}
		if err != nil {
			r.io.complain("%v", err)
			code = exitFailed
			continue
		}
		_ = os.Remove(filepath.Dir(path)) // stays if it has other files
		fmt.Fprintf(r.io.out, "removed %s\n", path)
	}
	return code
}
