package render

// Rational is an exact number or a time in seconds. The zero value means the default.
type Rational struct{ Num, Den int64 }

// Project is a timeline with everything that is seen and heard.
type Project struct {
	Name          string   // the title in exports
	Width, Height int      // pixels, even, 16 to 8192
	FPS           Rational // frames per second, such as 25/1 or 30000/1001; 1 to 240
	SampleRate    int      // Hz; 0 means 48000
	Background    string   // "#rrggbb"; "" is black

	Media    []Media
	Video    []Track   // V1, V2, …, the lowest first
	Audio    []Track   // A1, A2, …
	Overlays []Overlay // over all video tracks, the lowest first
	Texts    []Text    // over the overlays, the lowest first
	Ducks    []Duck
	Markers  []Marker // only for exports
}

// Media is a file that clips show parts of, as ffprobe or the user described it.
type Media struct {
	Name   string // id for exports and errors
	Path   string // path for exports; rendering does not use it
	Ext    string // file extension without a dot, such as "mp4"
	Video  bool   // has pictures
	Audio  bool
	Still  bool // is a single picture without a duration
	Width  int  // as displayed, after Rotation
	Height int
	// Rotation is in degrees clockwise. ffmpeg applies it automatically.
	Rotation int
	FPS      Rational // of the pictures; zero if unknown or none
	Duration Rational // seconds; zero if unknown
	Pixel    Rational // width of a pixel divided by its height; zero if square
	// Sequential media have no index to seek by, and are read from their start.
	Sequential bool
}

// Track is a sequence of items from frame 0 on.
type Track struct {
	ID     string // "V1", "A1": as in Duck
	Items  []Item
	Volume float64 // dB
	Mute   bool    // its sound is left out
	Hide   bool    // its pictures are left out
}

// Item is a gap or a clip, with the transition to the next clip.
type Item struct {
	Gap  int // length of a gap in frames; 0 for a clip
	Clip Clip
	// Next overlaps the end of this clip and the start of the next item, which must be a clip. It is nil for a cut.
	Next *Transition
}

// Clip shows a part of a medium. On a video track the sound of the medium is heard, too; on an audio track its
// pictures are ignored.
type Clip struct {
	ID      string
	Media   int      // index in Project.Media
	In      Rational // start in the medium, in seconds
	Frames  int      // length on the timeline including overlaps; at least 1
	Speed   Rational // 2/1 is twice as fast; zero means 1
	Volume  float64  // dB
	Mute    bool
	FadeIn  int // frames, for picture and sound
	FadeOut int // frames
	Cut     Cut
	Fit     string // for media of another aspect ratio: "contain" (default), "cover", "stretch"
	Effects []Effect
}

// Transition is the change from one clip to the next.
type Transition struct {
	Kind   string // name of one of Transitions
	Frames int    // at least 1, and at most what other transitions leave of either clip
}

// Effect changes the picture or the sound of a clip.
type Effect struct {
	Kind   string // name of one of Effects
	Params []Param
}

// Param is a setting of an effect. It is constant unless it has Keys.
type Param struct {
	Name  string
	Value string // a number or a color, depending on the setting
	// Keys are values at frames, for settings that are Animated. Values between two keys are interpolated linearly.
	Keys []Key
}

// Key is a value at a frame.
type Key struct {
	Frame int // of the clip, from 0
	Value string
}

// Place is a place on the picture.
type Place struct {
	Anchor string // one of value.Regions; "" means the default
	X, Y   int    // offset in pixels to the right and down
}

// Overlay is a picture or a video over the timeline.
type Overlay struct {
	ID            string
	Media         int      // index in Project.Media
	In            Rational // as in Clip
	From          int      // frame of the timeline
	Frames        int
	Speed         Rational // as in Clip
	Width, Height int      // pixels; a 0 follows from the aspect ratio, two mean the medium's size
	Place         Place    // default "center"
	Opacity       int      // percent; 0 means 100
	Volume        float64  // dB
	Mute          bool
	FadeIn        int // frames
	FadeOut       int // frames
	Cut           Cut
	Effects       []Effect
}

// Text is a text over the picture.
type Text struct {
	ID     string
	Text   string // may have line breaks; long lines are wrapped
	From   int    // frame of the timeline
	Frames int
	Style  string // name of one of Styles; "" means "title"
	Place  Place  // default as in the style
	Size   int    // font size in pixels; 0 means the style's
	Color  string // "#rrggbb"; "" means the style's
	Fade   int    // length of the fade-in and the fade-out in frames; 0 means the style's, -1 none
	Cut    Cut
}

// Duck lowers a track while another is heard.
type Duck struct {
	Track string  // the lowered track
	Under string  // the track that is heard
	By    float64 // maximum change in dB, such as -12; 0 means -12
}

// Marker is a named frame.
type Marker struct {
	Name  string
	Frame int
}

// Command is one run of a program. The host replaces {in:N}, {out:0} and {file:NAME} in Args by paths.
type Command struct {
	Args   []string // of ffmpeg, without the program's name
	Inputs []int    // index in Project.Media for each {in:N}
	// Output is the extension of the file {out:0}, without a dot. It is "" if the program prints its output, as queries
	// need it.
	Output string
	Files  []File
	Frames int // length of the output
	// Pictures and Sound say what the output consists of.
	Pictures int
	Sound    bool
	Memory   int // maximum address space in MiB
}

// File is a text or a font that the program reads.
type File struct {
	Name string
	Data []byte
}

// Length returns the length of the track in frames.
func (t Track) Length() int {
	n := 0
	for _, it := range t.Items {
		n += it.Gap
		if it.Gap == 0 {
			n += it.Clip.Frames
		}
		if it.Next != nil {
			n -= it.Next.Frames
		}
	}
	return n
}

// Frames returns the length of the film: the end of the last clip, overlay or text, even on hidden or muted tracks.
func (p *Project) Frames() int {
	n := 0
	for _, t := range p.Video {
		n = max(n, t.Length())
	}
	for _, t := range p.Audio {
		n = max(n, t.Length())
	}
	for _, o := range p.Overlays {
		n = max(n, o.From+o.Frames)
	}
	for _, t := range p.Texts {
		n = max(n, t.From+t.Frames)
	}
	return n
}
