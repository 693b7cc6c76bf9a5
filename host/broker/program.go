package broker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/fcp-host/fcp-host/abi"
	"github.com/fcp-host/fcp-host/host/capability/program"
	"github.com/fcp-host/fcp-host/host/capability/web"
	"github.com/fcp-host/fcp-host/host/domain"
	"github.com/fcp-host/fcp-host/host/files"
)

// maxCPU is the processor time of a program that a call waits for.
const maxCPU = 5 * time.Minute

// usableProgram returns why the program cannot run here.
func (w *world) usableProgram(want *abi.Want, _ *Grant) error {
	if w.b.o.Programs == nil {
		return errors.New(domain.Needs + want.Key() + ", and this host runs no programs")
	}
	if _, err := w.b.o.Programs.Find(want.Name); err != nil {
		return unusableGrant(want, err)
	}
	return nil
}

// doRun runs a program that writes no files, and returns its output.
func (w *world) doRun(ctx context.Context, a domain.Asker, r *abi.Request, room *web.Room) abi.Outcome {
	run := r.Run
	want := w.want((&abi.Want{Kind: abi.WantProgram, Name: run.Program}).Key())
	if want == nil || want.Kind != abi.WantProgram {
		return refusal("the manifest does not list program:%s", printableLine(run.Program, maxShown))
	}
	if _, err := w.usable(want); err != nil {
		return refusal("%v", err)
	}
	switch {
	case a.ReadOnly && !want.Reads:
		return refusal("a call that only reads may not use %s: its manifest does not set reads", want.Key())
	case len(run.Outputs) > 0:
		return refusal("%s would write %d files: a request returns only what a program prints; an export or a session action can run one that writes a file", want.Key(), len(run.Outputs))
	case len(run.Inputs) > 0 && a.Inputs == nil:
		return refusal("no file is known as %q here", printableLine(run.Inputs[0], maxShown))
	}
	caged := program.Run{Program: program.Program{Name: run.Program}, Args: run.Args, ReadOnly: true,
		Limits: program.Limits{CPU: maxCPU, Stdout: abi.MaxBody}}
	if end, ok := ctx.Deadline(); ok {
		caged.Limits.Wall = max(time.Until(end), time.Second)
	}
	for _, f := range run.Files {
		caged.Files = append(caged.Files, program.File(f))
	}
	for _, name := range run.Inputs {
		f, err := a.Inputs(name)
		if err != nil {
			for _, in := range caged.Inputs {
				in.File.Close()
			}
			return unopened(err)
		}
		ext := strings.ToLower(strings.TrimPrefix(filepath.Ext(f.Name()), "."))
		caged.Inputs = append(caged.Inputs, program.Input{File: f, Ext: ext})
	}
	res, err := w.b.o.Programs.Run(ctx, caged)
	switch {
	case err != nil && ctx.Err() == context.DeadlineExceeded:
		return failure(abi.FailedTimeout, false, err.Error())
	case errors.Is(err, program.ErrCancelled):
		return failure(abi.FailedCancelled, false, err.Error())
	case err != nil:
		return failure(abi.FailedProgram, false, err.Error())
	}
	if err := room.Take(0, len(res.Stdout)); err != nil {
		return failure(abi.FailedTooLarge, false, err.Error())
	}
	return abi.Outcome{Data: res.Stdout}
}

// doRead reads part of a file that the call names.
func (w *world) doRead(_ context.Context, a domain.Asker, r *abi.Request, room *web.Room) abi.Outcome {
	read := r.Read
	switch {
	case a.Files == nil:
		return refusal("no file is known as %q here", printableLine(read.Name, maxShown))
	case read.Offset < 0 || read.Length < 0:
		return refusal("the offset and the length of a read must not be negative")
	case read.Length > abi.MaxBody:
		return failure(abi.FailedTooLarge, false, fmt.Sprintf("one read returns at most %d MiB", abi.MaxBody>>20))
	}
	f, err := a.Files(read.Name)
	if err != nil {
		return unopened(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return unopened(err)
	}
	length := min(int64(read.Length), max(info.Size()-int64(read.Offset), 0))
	if err := room.Take(0, int(length)); err != nil {
		return failure(abi.FailedTooLarge, false, err.Error())
	}
	data := make([]byte, length)
	n, err := f.ReadAt(data, int64(read.Offset))
	if err != nil && !errors.Is(err, io.EOF) {
		return unopened(err)
	}
	return abi.Outcome{Data: data[:n], Size: int(info.Size())}
}

// doPart stores the next bytes of the file that an export writes.
func (w *world) doPart(_ context.Context, a domain.Asker, r *abi.Request, _ *web.Room) abi.Outcome {
	switch {
	case a.Part == nil:
		return refusal("only an export can write a file, with one part in each round")
	case len(r.Part.Data) > abi.MaxBody:
		return failure(abi.FailedTooLarge, false, fmt.Sprintf("a part of a file has at most %d MiB", abi.MaxBody>>20))
	}
	if err := a.Part(r.Part.Data); err != nil {
		return unopened(err)
	}
	return abi.Outcome{}
}

// unopened returns the outcome for a file that cannot be opened.
func unopened(err error) abi.Outcome {
	kind := abi.FailedRefused
	if errors.Is(err, fs.ErrNotExist) {
		kind = abi.FailedNotFound
	}
	return failure(kind, false, files.Reason(err).Error())
}
