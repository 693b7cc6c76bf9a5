package engine

import (
	"encoding/binary"
	"io"
	"log/slog"
	"slices"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/sys"
)

const wasiModule = "wasi_snapshot_preview1"

// Errno values of WASI preview 1.
const (
	wasiOK    = 0
	wasiBadf  = 8
	wasiFault = 21
	wasiInval = 28
	wasiSpipe = 70
)

const (
	// wallClock is the time that guests see, in nanoseconds since 1970: always 2022-01-01T00:00:00Z, so that replaying a log gives the
	// same bytes.
	wallClock = 1640995200 * 1e9
	// clockStep is how far the monotonic clock advances at each reading, in nanoseconds, so that a guest that waits for time to pass
	// comes to an end.
	clockStep = 1e6
)

// wasi is one instance's view of the system.
type wasi struct {
	monotonic uint64    // nanoseconds
	random    io.Reader // seeded
}

// wasiFuncs returns the subset of WASI preview 1 that Go, Rust, C and AssemblyScript libraries import. The only files are the three
// standard ones: stdin is at its end, stdout is discarded, stderr is logged. Functions on paths and other descriptors return EBADF.
// There are no arguments, no environment and no sockets.
func wasiFuncs() []hostFunc {
	return slices.Concat(processFuncs(), standardFdFuncs(), otherFdFuncs())
}

// processFuncs returns the functions that use no descriptor: arguments, environment, clocks, random numbers, the end.
func processFuncs() []hostFunc {
	return []hostFunc{
		{"args_sizes_get", "ii", "i", zeroSizes},
		{"args_get", "ii", "i", succeed},
		{"environ_sizes_get", "ii", "i", zeroSizes},
		{"environ_get", "ii", "i", succeed},
		{"clock_res_get", "ii", "i", func(_ *Engine, mem api.Memory, s []uint64) {
			if uint32(s[0]) > 3 {
				s[0] = wasiInval
				return
			}
			s[0] = writeErrno(mem != nil && mem.WriteUint64Le(uint32(s[1]), clockStep))
		}},
		{"clock_time_get", "ili", "i", func(e *Engine, mem api.Memory, s []uint64) {
			now := uint64(wallClock)
			switch id := uint32(s[0]); {
			case id > 3:
				s[0] = wasiInval
				return
			case id > 0:
				e.cur.wasi.monotonic += clockStep
				now = e.cur.wasi.monotonic
			}
			s[0] = writeErrno(mem != nil && mem.WriteUint64Le(uint32(s[2]), now))
		}},
		{"random_get", "ii", "i", func(e *Engine, mem api.Memory, s []uint64) {
			if mem == nil {
				s[0] = wasiFault
				return
			}
			b, ok := mem.Read(uint32(s[0]), uint32(s[1]))
			if ok {
				_, err := io.ReadFull(e.cur.wasi.random, b)
				ok = err == nil
			}
			s[0] = writeErrno(ok)
		}},
		{"sched_yield", "", "i", succeed},
		{"proc_exit", "i", "", func(_ *Engine, _ api.Memory, s []uint64) { panic(sys.NewExitError(uint32(s[0]))) }},
		{"poll_oneoff", "iiii", "i", pollOneoff},
	}
}

// standardFdFuncs returns the functions that work on the three standard descriptors.
func standardFdFuncs() []hostFunc {
	return []hostFunc{
		{"fd_write", "iiii", "i", fdWrite},
		{"fd_read", "iiii", "i", func(_ *Engine, mem api.Memory, s []uint64) {
			if uint32(s[0]) != 0 {
				s[0] = wasiBadf
				return
			}
			s[0] = writeErrno(mem != nil && mem.WriteUint32Le(uint32(s[3]), 0))
		}},
		{"fd_fdstat_get", "ii", "i", func(_ *Engine, mem api.Memory, s []uint64) {
			if uint32(s[0]) > 2 {
				s[0] = wasiBadf
				return
			}
			var stat [24]byte
			stat[0] = 2 // character device
			stat[8] = 1 << 6
			if uint32(s[0]) == 0 {
				stat[8] = 1 << 1
			}
			s[0] = writeErrno(mem != nil && mem.Write(uint32(s[1]), stat[:]))
		}},
		{"fd_filestat_get", "ii", "i", func(_ *Engine, mem api.Memory, s []uint64) {
			if uint32(s[0]) > 2 {
				s[0] = wasiBadf
				return
			}
			var stat [64]byte
			stat[16] = 2
			s[0] = writeErrno(mem != nil && mem.Write(uint32(s[1]), stat[:]))
		}},
		{"fd_seek", "ilii", "i", standardFd(wasiSpipe)},
		{"fd_tell", "ii", "i", standardFd(wasiSpipe)},
		{"fd_close", "i", "i", standardFd(wasiOK)},
		{"fd_fdstat_set_flags", "ii", "i", standardFd(wasiOK)},
		{"fd_sync", "i", "i", standardFd(wasiOK)},
		{"fd_datasync", "i", "i", standardFd(wasiOK)},
	}
}

// otherFdFuncs returns the functions that fail with EBADF whatever their arguments.
func otherFdFuncs() (fs []hostFunc) {
	for _, f := range []struct{ name, params string }{
		{"fd_advise", "illi"}, {"fd_allocate", "ill"}, {"fd_fdstat_set_rights", "ill"}, {"fd_filestat_set_size", "il"},
		{"fd_filestat_set_times", "illi"}, {"fd_pread", "iiili"}, {"fd_pwrite", "iiili"}, {"fd_readdir", "iiili"},
		{"fd_prestat_get", "ii"}, {"fd_prestat_dir_name", "iii"}, {"fd_renumber", "ii"},
		{"path_create_directory", "iii"}, {"path_filestat_get", "iiiii"}, {"path_filestat_set_times", "iiiilli"},
		{"path_link", "iiiiiii"}, {"path_open", "iiiiillii"}, {"path_readlink", "iiiiii"}, {"path_remove_directory", "iii"},
		{"path_rename", "iiiiii"}, {"path_symlink", "iiiii"}, {"path_unlink_file", "iii"},
	} {
		fs = append(fs, hostFunc{f.name, f.params, "i", func(_ *Engine, _ api.Memory, s []uint64) { s[0] = wasiBadf }})
	}
	return fs
}

// writeErrno returns the errno of a write to the guest's memory: EFAULT where it failed.
func writeErrno(ok bool) uint64 {
	if ok {
		return wasiOK
	}
	return wasiFault
}

func succeed(_ *Engine, _ api.Memory, s []uint64) { s[0] = wasiOK }

func zeroSizes(_ *Engine, mem api.Memory, s []uint64) {
	s[0] = writeErrno(mem != nil && mem.WriteUint32Le(uint32(s[0]), 0) && mem.WriteUint32Le(uint32(s[1]), 0))
}

// standardFd returns a function that answers errno for the three standard descriptors and EBADF for any other.
func standardFd(errno uint64) func(*Engine, api.Memory, []uint64) {
	return func(_ *Engine, _ api.Memory, s []uint64) {
		if uint32(s[0]) > 2 {
			s[0] = wasiBadf
			return
		}
		s[0] = errno
	}
}

// fdWrite discards what is written to stdout and logs what is written to stderr.
func fdWrite(e *Engine, mem api.Memory, s []uint64) {
	fd, list, n, result := uint32(s[0]), uint32(s[1]), uint32(s[2]), uint32(s[3])
	if fd != 1 && fd != 2 {
		s[0] = wasiBadf
		return
	}
	s[0] = wasiFault
	if mem == nil || uint64(n)*8 > uint64(mem.Size()) {
		return
	}
	vec, ok := mem.Read(list, n*8)
	if !ok {
		return
	}
	total := uint64(0)
	for ; len(vec) > 0; vec = vec[8:] {
		b, ok := mem.Read(binary.LittleEndian.Uint32(vec), binary.LittleEndian.Uint32(vec[4:]))
		if !ok {
			return
		}
		if total += uint64(len(b)); total > 1<<31 {
			s[0] = wasiInval
			return
		}
		if fd == 2 {
			e.cur.noteStderr(b)
			e.log.Stream(slog.LevelInfo, b)
		}
	}
	s[0] = writeErrno(mem.WriteUint32Le(result, uint32(total)))
}

// pollOneoff never waits. Where all subscriptions are clocks, the monotonic clock advances to the earliest of them.
func pollOneoff(e *Engine, mem api.Memory, s []uint64) {
	in, out, n, result := uint32(s[0]), uint32(s[1]), uint32(s[2]), uint32(s[3])
	s[0] = wasiInval
	if n == 0 || n > 1024 {
		return
	}
	s[0] = wasiFault
	if mem == nil {
		return
	}
	subs, ok := mem.Read(in, n*48)
	if !ok {
		return
	}
	events, ok := mem.Read(out, n*32)
	if !ok {
		return
	}
	// The guest may have put both lists in the same memory, so subscriptions are read from a copy.
	subs = append([]byte(nil), subs...)
	before := e.cur.wasi.monotonic
	wake, fds := ^uint64(0), false
	for i := 0; i < len(subs); i += 48 {
		switch sub := subs[i : i+48]; sub[8] {
		case 0:
			wake = min(wake, clockTarget(sub, before))
		case 1, 2:
			fds = true // ready at once: at its end, discarded, or no such descriptor
		default:
			s[0] = wasiInval
			return
		}
	}
	now := before
	if !fds {
		now = max(now, wake)
	}
	e.cur.wasi.monotonic = now
	count := uint32(0)
	for i := 0; i < len(subs); i += 48 {
		sub := subs[i : i+48]
		if sub[8] == 0 && clockTarget(sub, before) > now {
			continue
		}
		ev := events[count*32 : count*32+32]
		clear(ev)
		copy(ev, sub[:8])
		if sub[8] != 0 && binary.LittleEndian.Uint32(sub[16:]) > 2 {
			ev[8] = wasiBadf
		}
		ev[10] = sub[8]
		count++
	}
	s[0] = writeErrno(mem.WriteUint32Le(result, count))
}

// clockTarget returns the monotonic time, in nanoseconds, at which a clock subscription fires.
func clockTarget(sub []byte, now uint64) uint64 {
	id := binary.LittleEndian.Uint32(sub[16:])
	timeout := binary.LittleEndian.Uint64(sub[24:])
	if sub[40]&1 == 0 { // relative
		return now + min(timeout, ^uint64(0)-now)
	}
	if id == 0 { // an absolute wall time: its distance from the fixed clock counts
		if timeout <= wallClock {
			return now
		}
		return now + min(timeout-wallClock, ^uint64(0)-now)
	}
	return timeout
}
