package program

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// Streams is what a film or a recording consists of.
type Streams struct {
	Pictures int // 0 for none
	Sound    bool
}

// counted is what a file was found to consist of.
type counted struct {
	Streams
	seen, heard time.Duration // of the pictures, and of the sound
}

// countStreams reads what ffmpeg made in run, with another run of ffmpeg, and counts what is in it.
func (r *Runner) countStreams(ctx context.Context, run Run, made *os.File) (*counted, error) {
	// By its descriptor: the program may have put something else in its place.
	file, err := os.Open(fmt.Sprintf("/proc/self/fd/%d", made.Fd()))
	if err != nil {
		return nil, fmt.Errorf("the file cannot be read back: %w", err)
	}
	p, err := r.Start(ctx, Run{Program: run.Program, Limits: run.Limits,
		Inputs: []Input{{File: file, Ext: run.Outputs[0].Ext}}, Outputs: []Output{{Ext: "txt"}},
		Args: []string{"-hide_banner", "-nostdin", "-y", "-v", "error", "-i", "{in:0}", "-map", "0:v?", "-map", "0:a?", "-c", "copy", "-f", "framecrc", "{out:0}"}})
	if err != nil {
		return nil, fmt.Errorf("the file cannot be read back: %w", err)
	}
	defer p.Close()
	result, err := p.Wait()
	if err != nil {
		return nil, fmt.Errorf("the file cannot be read back: %w", err)
	}
	return readFrames(result.Outputs[0])
}

// readFrames reads ffmpeg's list of packets (framecrc): lines such as "#media_type 0: video" and "#tb 0: 1/25" about a stream, then one
// for each packet: stream, dts, pts, duration, size, checksum. One packet holds one picture.
func readFrames(list io.Reader) (*counted, error) {
	type stream struct {
		kind        string
		num, den    int64 // the unit of its times, in seconds
		first, last int64
		packets     int
	}
	all := map[string]*stream{}
	at := func(id string) *stream {
		if all[id] == nil {
			all[id] = &stream{num: 1, den: 1}
		}
		return all[id]
	}
	lines := bufio.NewScanner(list)
	for lines.Scan() {
		line := lines.Text()
		if about, ok := strings.CutPrefix(line, "#media_type "); ok {
			id, kind, _ := strings.Cut(about, ": ")
			at(id).kind = kind
			continue
		}
		if about, ok := strings.CutPrefix(line, "#tb "); ok {
			id, unit, _ := strings.Cut(about, ": ")
			if _, err := fmt.Sscanf(unit, "%d/%d", &at(id).num, &at(id).den); err != nil || at(id).den < 1 {
				return nil, fmt.Errorf("the file cannot be read back: %q is no unit of time", unit)
			}
			continue
		}
		fields := strings.Split(line, ",")
		if strings.HasPrefix(line, "#") || len(fields) < 6 {
			continue
		}
		pts, errStart := strconv.ParseInt(strings.TrimSpace(fields[2]), 10, 64)
		length, errLength := strconv.ParseInt(strings.TrimSpace(fields[3]), 10, 64)
		if errStart != nil || errLength != nil {
			return nil, fmt.Errorf("the file cannot be read back: %q is no packet", line)
		}
		s := at(fields[0])
		start := max(pts, 0) // sound begins with samples that are not heard
		if s.packets++; s.packets == 1 {
			s.first = start
		}
		s.first, s.last = min(s.first, start), max(s.last, pts+length)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("the file cannot be read back: %w", err)
	}
	out := &counted{}
	for _, s := range all {
		length := time.Duration(float64(s.last-s.first) * float64(s.num) / float64(s.den) * float64(time.Second))
		switch {
		case s.packets == 0:
		case s.kind == "video":
			out.Pictures += s.packets
			out.seen = max(out.seen, length)
		case s.kind == "audio":
			out.Sound, out.heard = true, max(out.heard, length)
		}
	}
	return out, nil
}

// compare returns an error if a file does not consist of these streams, or if one does not last as long; 0 is any duration.
func (s *Streams) compare(made *counted, lasts time.Duration) error {
	const slack = 250 * time.Millisecond // encoders of sound add some samples at both ends
	switch {
	case made.Pictures != s.Pictures:
		return fmt.Errorf("ffmpeg made %d pictures instead of %d", made.Pictures, s.Pictures)
	case s.Sound && !made.Sound:
		return fmt.Errorf("ffmpeg made no sound, and the film has sound")
	case made.Sound && !s.Sound:
		return fmt.Errorf("ffmpeg made sound, and the film has none")
	case lasts == 0:
	case s.Pictures > 0 && (made.seen-lasts).Abs() > 2*lasts/time.Duration(s.Pictures):
		return fmt.Errorf("the pictures that ffmpeg made last %v instead of %v", made.seen.Round(time.Millisecond), lasts)
	case s.Sound && (made.heard-lasts).Abs() > slack:
		return fmt.Errorf("the sound that ffmpeg made lasts %v instead of %v", made.heard.Round(time.Millisecond), lasts)
	}
	return nil
}
