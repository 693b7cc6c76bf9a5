// Command bench measures what a user feels, on the real binary over stdio, and
// prints it as a table.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

func main() {
	only := flag.String("only", "", "sections to run, such as start,drawio,midi,memory; all by default")
	bin := flag.String("bin", "bin", "folder of fcp-host and of plugins/")
	flag.Parse()
	if err := run(*bin, *only); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// section measures one subject and adds its rows.
type section struct {
	name string
	run  func(*bench) error
}

func sections() []section {
	return []section{{"start", starting}, {"journal", durable}, {"drawio", drawio}, {"midi", midi}, {"memory", documents}}
}

func run(bin, only string) error {
	tmp, err := os.MkdirTemp("", "fcp-bench-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	b := &bench{bin: bin, cache: filepath.Join(tmp, "cache")}
	for _, s := range sections() {
		if only != "" && !slices.Contains(strings.Split(only, ","), s.name) {
			continue
		}
		if err := s.run(b); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	fmt.Printf("\n%s/%s, %d cores, %s, load %s\n\n| what | median | least | at most |\n|---|---|---|---|\n",
		runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), load())
	for _, r := range b.rows {
		fmt.Printf("| %s | %s | %s | %s |\n", r.what, r.median, r.least, r.limit)
	}
	return nil
}

// load is how many processes wanted to run lately, where the system tells.
func load() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(data), " ")
	return first
}

// starting measures what a client waits for, and what then is in memory.
func starting(b *bench) error {
	cold, err := sample(3, func(i int) (time.Duration, error) {
		return b.startup(fmt.Sprint(b.cache, i), nil)
	})
	if err != nil {
		return err
	}
	b.time("start → tools/list, both plugins, cold", cold, "3000 ms")
	var resident int
	warm, err := sample(15, func(int) (time.Duration, error) {
		return b.startup(b.cache+"0", func(s *server) { resident = s.resident() })
	})
	if err != nil {
		return err
	}
	b.time("start → tools/list, both plugins, warm", warm, "60 ms")
	b.add("resident memory of all processes then", mb(resident), "80 MB")
	return nil
}

// durable measures calls that are in the journal, on the disk, before they
// are answered.
func durable(b *bench) error {
	s, err := b.start(b.cache)
	if err != nil {
		return err
	}
	defer s.stop()
	for _, d := range domains() {
		at := time.Now()
		if err := s.fresh(d); err != nil {
			return err
		}
		b.time("first new, "+d.name+" (worker starts, module loads)", []time.Duration{time.Since(at)}, "–")
	}
	for _, d := range domains() {
		one, err := s.oneOp(d)
		if err != nil {
			return err
		}
		b.time("one call with one op, durable, "+d.name, one, "2.4 ms")
	}
	b.add("resident memory, one edited document in each domain", mb(s.resident()), "200 MB")
	return nil
}

// bench collects the rows.
type bench struct {
	bin, cache string
	rows       []row
}

// row is one line of the table.
type row struct{ what, median, least, limit string }

func (b *bench) time(what string, took []time.Duration, limit string) {
	slices.Sort(took)
	b.row(row{what, ms(took[len(took)/2]), ms(took[0]), limit})
}

func (b *bench) add(what, got, limit string) { b.row(row{what, got, "", limit}) }

func (b *bench) row(r row) {
	b.rows = append(b.rows, r)
	fmt.Fprintf(os.Stderr, "%-66s %12s %12s  (at most %s)\n", r.what, r.median, r.least, r.limit)
}

func ms(d time.Duration) string {
	v := float64(d.Microseconds()) / 1000
	if v < 10 {
		return fmt.Sprintf("%.2f ms", v)
	}
	return fmt.Sprintf("%.0f ms", v)
}

func mb(n int) string { return fmt.Sprintf("%d MB", n/1_000_000) }

// sample runs f n times and gives what it took.
func sample(n int, f func(i int) (time.Duration, error)) ([]time.Duration, error) {
	all := make([]time.Duration, 0, n)
	for i := range n {
		d, err := f(i)
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, nil
}
