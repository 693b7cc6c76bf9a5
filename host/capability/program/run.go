package program

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Run describes one run of a program.
type Run struct {
	Program Program
	// Args are the arguments, without the program's name. {in:N} and {out:N}, counted from 0, and {file:NAME} stand for
	// names in its folder.
	Args    []string
	Inputs  []Input
	Outputs []Output
	Files   []File
	// ReadOnly refuses outputs: the run may only read its inputs.
	ReadOnly bool
	Limits   Limits
	// Progress, if set, gets the keys and values that the program prints on stdout in the format of ffmpeg's -progress
	// pipe:1, once for each complete block. It is called from one goroutine and should return soon. Result.Stdout is
	// then empty.
	Progress func(map[string]string)
}

// Input is a file to read, opened for reading by the host. Its name no longer matters.
type Input struct {
	File *os.File
	Ext  string // extension of the name that the program sees, without a dot: it may choose the format by it
}

// Output is a file to write.
type Output struct {
	Ext      string
	MaxBytes int64 // its size limit; 0 means maxOutput
}

// File is a text that the program reads, such as a filter graph or captions.
type File struct {
	Name string
	Data []byte
}

// Limits bound a run. A zero field means the default.
type Limits struct {
	CPU    time.Duration // processor time of all threads
	Wall   time.Duration // elapsed time
	Memory uint64        // address space in bytes
	Stdout int           // bytes of stdout in Result
}

const (
	maxInputs  = 512
	maxOutputs = 64
	maxFiles   = 2048
	maxText    = 16 << 20  // bytes of all files
	maxArgs    = 128 << 10 // bytes of all arguments: Linux accepts no more in a single one
	maxOutput  = 8 << 30
	maxThreads = 1024     // x265 starts one per processor
	maxStderr  = 64 << 20 // bytes read from stderr before the run is ended
	keptStderr = 16 << 10
)

func (l Limits) withDefaults() Limits {
	if l.CPU <= 0 {
		l.CPU = 8 * time.Hour
	}
	if l.Wall <= 0 {
		l.Wall = 2 * time.Hour
	}
	if l.Memory == 0 {
		l.Memory = 4 << 30 // enough to encode 2160p to AV1
	}
	if l.Stdout <= 0 {
		l.Stdout = 8 << 20
	}
	return l
}

// layout is a run with all names assigned.
type layout struct {
	args            []string
	inputs, outputs []string
	files           []string
	sizes           []int64 // size limits of the outputs
}

var (
	extension = regexp.MustCompile(`^[a-z0-9]{1,8}$`)
	fileName  = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,31}(\.[a-z0-9]{1,8})?$`)
	ours      = regexp.MustCompile(`^(in|out)[0-9]+(\.|$)`)
	holder    = regexp.MustCompile(`\{(in|out|file):([^{}]*)\}`)
)

// layOut validates a run and assigns names.
func (r *Run) layOut() (*layout, error) {
	refuse := func(format string, args ...any) (*layout, error) {
		return nil, fmt.Errorf("%s cannot be run: %w", r.Program.Name, fmt.Errorf(format, args...))
	}
	switch {
	case len(r.Inputs) > maxInputs:
		return refuse("it has %d inputs; the limit is %d", len(r.Inputs), maxInputs)
	case len(r.Outputs) > maxOutputs:
		return refuse("it has %d outputs; the limit is %d", len(r.Outputs), maxOutputs)
	case len(r.Files) > maxFiles:
		return refuse("it has %d files; the limit is %d", len(r.Files), maxFiles)
	case r.ReadOnly && len(r.Outputs) > 0:
		return refuse("it may only read here, and asks for %d outputs", len(r.Outputs))
	}
	var l layout
	for i, in := range r.Inputs {
		if !extension.MatchString(in.Ext) {
			return refuse("input %d: %q is not an extension (1 to 8 small letters and digits)", i, in.Ext)
		}
		l.inputs = append(l.inputs, fmt.Sprintf("in%d.%s", i, in.Ext))
	}
	for i, out := range r.Outputs {
		if !extension.MatchString(out.Ext) {
			return refuse("output %d: %q is not an extension (1 to 8 small letters and digits)", i, out.Ext)
		}
		if out.MaxBytes < 0 || out.MaxBytes > maxOutput {
			return refuse("output %d may not hold %d bytes", i, out.MaxBytes)
		}
		size := out.MaxBytes
		if size == 0 {
			size = maxOutput
		}
		l.outputs, l.sizes = append(l.outputs, fmt.Sprintf("out%d.%s", i, out.Ext)), append(l.sizes, size)
	}
	text := 0
	for _, f := range r.Files {
		if !fileName.MatchString(f.Name) || ours.MatchString(f.Name) {
			return refuse("%q is not the name of a file (small letters, digits, _ and -, one extension, not in… or out…)", f.Name)
		}
		if slices.Contains(l.files, f.Name) {
			return refuse("two files are named %s", f.Name)
		}
		l.files = append(l.files, f.Name)
		if text += len(f.Data); text > maxText {
			return refuse("its files hold more than %d MiB", maxText>>20)
		}
	}
	size := 0
	for _, arg := range r.Args {
		if strings.ContainsRune(arg, 0) {
			return refuse("an argument holds a zero byte")
		}
		var wrong string
		arg = holder.ReplaceAllStringFunc(arg, func(whole string) string {
			part := holder.FindStringSubmatch(whole)
			if name, ok := l.name(part[1], part[2]); ok {
				return name
			}
			wrong = whole
			return whole
		})
		if wrong != "" {
			return refuse("the arguments name %s, which it does not have", wrong)
		}
		l.args = append(l.args, arg)
		if size += len(arg) + 1; size > maxArgs {
			return refuse("its arguments take more than %d KiB; put a filter graph into a file", maxArgs>>10)
		}
	}
	return &l, nil
}

// name returns what a placeholder stands for.
func (l *layout) name(kind, which string) (string, bool) {
	if kind == "file" {
		return which, slices.Contains(l.files, which)
	}
	list := l.inputs
	if kind == "out" {
		list = l.outputs
	}
	n, err := strconv.Atoi(which)
	if err != nil || n < 0 || n >= len(list) || strconv.Itoa(n) != which {
		return "", false
	}
	return list[n], true
}
