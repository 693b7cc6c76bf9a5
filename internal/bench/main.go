// Command bench measures what a user notices, with the real binary over stdio, and prints a table.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/internal/ends"
)

func main() {
	only := flag.String("only", "", "sections to run, such as start,drawio,midi,svg,growth,http,cards,video,view,memory,sessions; all by default")
	bin := flag.String("bin", "bin", "folder of fcp-host")
	attack := flag.String(attackFlag, "", "")
	flag.Parse()
	ends.Main("bench", func() {
		if *attack != "" {
			runAttacker(*attack)
		} else {
			run(*bin, *only)
		}
	})
}

// section measures one subject and adds its rows.
type section struct {
	name string
	run  func(*bench)
}

func sections() []section {
	return []section{{"start", starting}, {"journal", durable}, {"drawio", drawio}, {"midi", midi}, {"svg", vector}, {"growth", growth}, {"http", underAttack}, {"cards", cards}, {"video", video}, {"view", timeToView}, {"memory", documents}, {"sessions", sessions}}
}

func run(bin, only string) {
	tmp := ends.Unless(os.MkdirTemp("", "fcp-bench-*"))
	defer os.RemoveAll(tmp)
	b := &bench{bin: bin, cache: filepath.Join(tmp, "cache")}
	b.compile()
	for _, s := range sections() {
		if only != "" && !slices.Contains(strings.Split(only, ","), s.name) {
			continue
		}
		fmt.Fprintln(os.Stderr, s.name)
		s.run(b)
	}
	fmt.Printf("\n%s/%s, %d cores, %s, load %s\n\n| what | median | least | CPU | at most |\n|---|---|---|---|---|\n",
		runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), load())
	for _, r := range b.rows {
		fmt.Printf("| %s | %s | %s | %s | %s |\n", r.what, r.median, r.least, r.cpu, r.limit)
	}
}

// load returns the system's load average, if known.
func load() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(data), " ")
	return first
}

// compile fills the cache, so that nothing is compiled during measurements.
func (b *bench) compile() {
	s := b.start(b.cache)
	defer s.stop()
	for _, d := range domains() {
		s.newDocument(d)
		s.closeDocument(d)
	}
}

// starting measures how long a client waits at the start, and the memory used then.
func starting(b *bench) {
	list := func(s *server) { s.request("tools/list", nil) }
	cold := sample(5, func(i int) cost {
		return b.startup(fmt.Sprint(b.cache, i), list, nil)
	})
	b.time("start → tools/list, both plugins, cold", cold, "60 ms")
	for _, d := range domains() {
		edited := sample(3, func(i int) cost {
			return b.startup(fmt.Sprint(b.cache, d.name, i), func(s *server) { s.newFilledDocument(d, 1) }, nil)
		})
		b.time("start → first op of "+d.name+" answered, cold", edited, "–")
	}
	var resident int
	warm := sample(15, func(int) cost {
		return b.startup(b.cache, list, func(s *server) { resident = s.resident() })
	})
	b.time("start → tools/list, both plugins, warm", warm, "60 ms")
	b.add("resident memory of all processes then", mb(resident), "80 MB")
	left := b.leaveJournals(1000)
	warm = sample(15, func(int) cost {
		return b.startup(b.cache, list, nil, "--journal-dir", left)
	})
	b.time("start → tools/list, both plugins, warm, 1000 journals there", warm, "60 ms")
	manyPlugins(b)
}

// durable measures calls whose journal record is synced to disk before the answer.
func durable(b *bench) {
	s := b.start(b.cache)
	defer s.stop()
	for _, d := range domains() {
		at := time.Now()
		s.newDocument(d)
		b.time("first new, "+d.name+" (worker starts, module loads)", []cost{{wall: time.Since(at)}}, "–")
	}
	for _, d := range domains() {
		one := s.oneOp(d)
		b.time("one call with one op, durable, "+d.name, one, "0.55 ms")
	}
	b.add("resident memory, one edited document in each domain", mb(s.resident()), "200 MB")
}

// bench collects the rows.
type bench struct {
	bin, cache string
	rows       []row
}

// row is one line of the table.
type row struct{ what, median, least, cpu, limit string }

// cost is what one run took: elapsed time, and processor time of all processes of the server. A user notices elapsed
// time; processor time depends little on other load. 0 means unknown.
type cost struct{ wall, cpu time.Duration }

func (b *bench) time(what string, took []cost, limit string) {
	least := cheapest(took)
	slices.SortFunc(took, func(a, b cost) int { return cmp.Compare(a.wall, b.wall) })
	r := row{what: what, median: ms(took[len(took)/2].wall), least: ms(least.wall), limit: limit}
	if least.cpu > 0 {
		r.cpu = ms(least.cpu)
	}
	b.row(r)
}

// cheapest returns the least elapsed time and the least processor time.
func cheapest(took []cost) cost {
	least := took[0]
	for _, c := range took {
		least = cost{min(least.wall, c.wall), min(least.cpu, c.cpu)}
	}
	return least
}

func (b *bench) add(what, got, limit string) { b.row(row{what: what, median: got, limit: limit}) }

func (b *bench) row(r row) {
	b.rows = append(b.rows, r)
	fmt.Fprintf(os.Stderr, "%-66s %10s %10s %10s  (at most %s)\n", r.what, r.median, r.least, r.cpu, r.limit)
}

func ms(d time.Duration) string {
	v := float64(d.Microseconds()) / 1000
	if v < 10 {
		return fmt.Sprintf("%.2f ms", v)
	}
	return fmt.Sprintf("%.0f ms", v)
}

func mb(n int) string { return fmt.Sprintf("%d MB", n/1_000_000) }

// sample runs f n times and returns the costs.
func sample(n int, f func(i int) cost) []cost {
	all := make([]cost, 0, n)
	for i := range n {
		all = append(all, f(i))
	}
	return all
}
