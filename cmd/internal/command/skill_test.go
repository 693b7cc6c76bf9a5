package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fcp-host/fcp-host/host/session"
	"github.com/fcp-host/fcp-host/internal/testwasm"
)

// The skill of each built-in domain has ten jobs or more, and they work as they are printed, by the command that it names.
func TestTheJobsOfSkillsWorkAsPrinted(t *testing.T) {
	t.Parallel()
	host, cache := testwasm.Host(t), testwasm.CacheDir(t)
	env := append(os.Environ(), "XDG_CONFIG_HOME="+t.TempDir(), "XDG_DATA_HOME="+t.TempDir(), "XDG_STATE_HOME="+t.TempDir())
	for _, domain := range []string{"cuedeck", "drawio", "flowise", "midi", "svg", "video"} {
		t.Run(domain, func(t *testing.T) {
			dir := t.TempDir()
			for _, file := range []string{"a.mp4", "b.mp4", "music.mp3", "logo.png"} { // of video, which declares what is in them
				put(t, dir, file, "x")
			}
			write := exec.Command(host, "skill", domain)
			write.Env = env
			out, err := write.Output()
			if err != nil {
				t.Fatal(err)
			}
			text := string(out)
			if n := utf8.RuneCountInString(text); n > session.MaxSkill {
				t.Errorf("it has %d characters", n)
			}
			_, jobs, _ := strings.Cut(text, "\n## Jobs\n")
			_, jobs, _ = strings.Cut(jobs, "\n```\n")
			jobs, _, ok := strings.Cut(jobs, "\n```\n")
			if n := len(strings.Split(jobs, "\n\n")); !ok || n < 10 {
				t.Errorf("it has %d jobs:\n%s", n, text)
			}
			_, command, _ := strings.Cut(text, "```sh\nfcp-host ")
			command, _, ok = strings.Cut(command, " <<'EOF'")
			if !ok || !strings.HasPrefix(command, "exec ") {
				t.Fatalf("it names no command:\n%s", text)
			}
			run := exec.Command(host, append(strings.Fields(command), "--cache", cache, "--pictures", dir)...)
			run.Dir, run.Env, run.Stdin = dir, env, strings.NewReader(jobs)
			if out, err := run.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
			pictures, err := filepath.Glob(filepath.Join(dir, "fcp-*.png"))
			if err != nil || len(pictures) != 1 {
				t.Errorf("pictures: %q %v", pictures, err)
			}
		})
	}
}
