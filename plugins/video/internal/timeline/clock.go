package timeline

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
	"github.com/fcp-host/fcp-host/pdk/timecode"
	"github.com/fcp-host/fcp-host/pdk/value"
	"github.com/fcp-host/fcp-host/plugins/video/internal/film"
)

// clock reads the times of an op, and collects notes on those it had to round.
type clock struct {
	f     *film.Film
	track *film.Track // end means the end of this track, or of the film if it is nil
	notes []string

	// What moment may suggest in place of a time that it cannot read:
	anyMoment bool // any moment of the film is possible
	inClip    bool // only moments within a clip are possible
}

// noteText returns the notes in brackets, to be appended to a result.
func (k *clock) noteText() string {
	if len(k.notes) == 0 {
		return ""
	}
	return " (" + strings.Join(k.notes, "; ") + ")"
}

// frames returns a length that was read from the text of a key, in frames of the film.
func (k *clock) frames(key, text string, l timecode.Length) (int, error) {
	frames, exact, err := l.In(k.f.Rate())
	switch {
	case err != nil && strings.Contains(text, ";"):
		return 0, pdk.Errorf("%s:%s %v", key, text, err).Instead(text, strings.ReplaceAll(text, ";", ":"))
	case err != nil:
		return 0, pdk.Errorf("%s:%s %v", key, text, err)
	case !exact:
		k.notes = append(k.notes, fmt.Sprintf("%s is rounded to %s, frame %d", text, k.f.TimeText(frames), frames))
	}
	return frames, nil
}

// length reads a length of time and returns it in frames.
func (k *clock) length(key, text string) (int, error) {
	l, err := value.Key[timecode.Length]{Name: key, Type: timecode.Time}.Parse(text)
	if err != nil {
		return 0, err
	}
	return k.frames(key, text, l)
}

// shift reads a length of time with a sign and returns it in frames.
func (k *clock) shift(key, text string) (int, error) {
	l, err := value.Key[timecode.Length]{Name: key, Type: timecode.Shift}.Parse(text)
	if err != nil {
		return 0, err
	}
	return k.frames(key, text, l)
}

// optional reads the parameter key, if the op has it.
func optional[T any](a pdk.Args, key string, read func(key, text string) (T, error)) (v T, given bool) {
	text, given := a.Param(key)
	if given {
		v = pdk.Must(read(key, text))
	}
	return v, given
}

// adjusted reads a parameter that may be relative: +TIME or -TIME adds to now. Otherwise read reads it. Without the
// parameter the result is now.
func (k *clock) adjusted(a pdk.Args, key string, now int, read func(key, text string) (int, error)) int {
	text, given := a.Param(key)
	switch {
	case !given:
		return now
	case strings.Trim(text[:min(len(text), 1)], "+-") != "":
		return pdk.Must(read(key, text))
	}
	return now + pdk.Must(k.shift(key, text))
}

// moment reads a place on the timeline and returns its frame. The text is a time, or start, end, end:CLIP, start:CLIP
// or marker:NAME, each optionally followed by +TIME or -TIME.
func (k *clock) moment(key, text string) (int, error) {
	l, err := timecode.ParseShift(text)
	switch {
	case err == nil && strings.HasPrefix(text, "-"):
		return 0, k.beforeStart(key, text, l)
	case err == nil && !l.Signed:
		return k.frames(key, text, l)
	case err != nil && !errors.Is(err, timecode.ErrForm):
		return 0, pdk.Errorf("%s:%s %v", key, text, err)
	}
	at, err := k.anchor(text)
	if err == nil {
		return at, nil
	}
	if i := strings.LastIndexAny(text, "+-"); i > 0 {
		l, errL := timecode.ParseShift(text[i:])
		base, errA := k.anchor(text[:i])
		if errL == nil && errA == nil {
			by, err := k.frames(key, text, l)
			if err == nil && base+by < 0 {
				err = pdk.Errorf("%s:%s is %s before the film starts", key, text, k.f.TimeText(-base-by))
			}
			return base + by, err
		}
		if errL == nil {
			err = errA
		}
	}
	if e := new(pdk.Error); errors.As(err, &e) {
		return 0, e
	}
	bad := pdk.Errorf("%s:%s is not a time: %s, end, end:CLIP, start:CLIP, marker:NAME, end-2s", key, text, timecode.Forms)
	switch {
	case k.inClip || key == "to" || key == "until":
		return 0, bad
	case key == "from" || key == "start":
		return 0, bad.Instead(text, "0s")
	}
	return 0, bad.Instead(text, "end")
}

// beforeStart is the error for a time less than 0. It may be meant to count from the end.
func (k *clock) beforeStart(key, text string, l timecode.Length) error {
	err := pdk.Errorf("%s:%s is before the film starts", key, text)
	end, _ := k.anchor("end")
	if by, _, _ := l.In(k.f.Rate()); end+by < 0 {
		return err
	}
	err.Message += "; end" + text + " counts from its end"
	if k.anyMoment {
		err = err.Instead(text, "end"+text)
	}
	return err
}

var errNoAnchor = errors.New("no anchor")

// anchor reads a named place: start, end, marker:NAME, or start:, end: or after: with a clip, or end: with a track.
func (k *clock) anchor(text string) (int, error) {
	word, ref, named := strings.Cut(text, ":")
	switch word = strings.ToLower(word); {
	case !named && word == "start":
		return 0, nil
	case !named && word == "end":
		if k.track != nil {
			return k.track.End(), nil
		}
		return k.f.Frames(), nil
	case named && word == "marker":
		m, err := k.f.Marker(ref)
		if err != nil {
			return 0, err
		}
		return m.At, nil
	case named && slices.Contains([]string{"end", "start", "after"}, word):
		if t := trackWithID(k.f, ref); t != nil && word == "end" {
			return t.End(), nil
		}
		c, err := k.f.Clip(ref, false)
		if err != nil {
			return 0, err
		}
		if word == "start" {
			return c.Start, nil
		}
		return c.End, nil
	}
	return 0, errNoAnchor
}

// readSpan reads from:, to: and dur:. Without to: and dur: the length is otherwise frames, up to the end of the film;
// with an otherwise of 0 or less, one of the two is required.
func (k *clock) readSpan(a pdk.Args, otherwise int) (from, frames int, err error) {
	if v, ok := a.Param("from"); ok {
		from = pdk.Must(k.moment("from", v))
	}
	to, toGiven := a.Param("to")
	dur, durGiven := a.Param("dur")
	switch {
	case toGiven && durGiven:
		return 0, 0, pdk.Errorf("to: and dur: both set the end: give one of them").Try(a.Mended(pdk.Without("dur")), a.Mended(pdk.Without("to")))
	case durGiven:
		frames = pdk.Must(k.durationFrom(a.String("from", ""), from, dur))
	case toGiven:
		end := pdk.Must(k.moment("to", to))
		frames = end - from
	case otherwise <= 0:
		return 0, 0, pdk.Errorf("the end is missing: to:TIME or dur:TIME").Try(a.Mended(pdk.WithParam("dur", "3s")))
	default:
		frames = otherwise
		if end := k.f.Frames(); from < end && from+frames > end {
			frames = end - from
			k.notes = append(k.notes, "up to the film's end")
		}
	}
	if frames < 1 {
		if toGiven && from > 0 {
			return 0, 0, pdk.Errorf("it would end at %s and begins at %s", k.f.TimeText(from+frames), k.f.TimeText(from)).Try(a.Mended(pdk.Without("to"), pdk.WithParam("dur", "3s")))
		}
		return 0, 0, pdk.Errorf("it would be shorter than a frame").Try(a.Mended(pdk.Without("to", "dur"), pdk.WithParam("dur", "3s")))
	}
	return from, frames, nil
}

// durationFrom reads dur: of something that starts at the frame at, which was read from the text from. If from had to
// be rounded, it rounds the end rather than the length, so that whatever starts at that end meets it.
func (k *clock) durationFrom(from string, at int, dur string) (int, error) {
	start, errFrom := timecode.Parse(from)
	_, exact, _ := start.In(k.f.Rate())
	l, err := timecode.Parse(dur)
	if errFrom != nil || err != nil || exact || l.InFrames() {
		return k.length("dur", dur)
	}
	end, err := k.frames("dur", from+"+"+dur, timecode.Length{Seconds: start.Seconds.Plus(l.Seconds)})
	return end - at, err
}

// spanText prints start, end and length: 1s-4s (3s).
func spanText(f *film.Film, start, end int) string {
	return fmt.Sprintf("%s-%s (%s)", f.TimeText(start), f.TimeText(end), f.TimeText(end-start))
}
