package render

// Rational is a number or a time in seconds, exactly. The zero value stands for the default of where it is used.
type Rational struct{ Num, Den int64 }

// Project is a timeline with all that is to be seen and heard.
type Project struct {
	Name          string   // for exports that have a title
	Width, Height int      // pixels, even, 16 to 8192
	FPS           Rational // frames a second, such as 25/1 or 30000/1001; 1 to 240
	SampleRate    int      // 0 stands for 48000
	Background    string   // "#rrggbb" of what no clip covers; "" is black

	Media    []Media
	Video    []Track   // the lowest first: V1, V2, …
	Audio    []Track   // A1, A2, …
	Overlays []Overlay // over all video tracks, the lowest first
	Texts    []Text    // over the overlays, the lowest first
	Ducks    []Duck
	Markers  []Marker // for exports
}

// Media is a file that clips show stretches of, as ffprobe or the user described it.
type Media struct {
	Name   string // the id, for exports and errors
	Path   string // as exports are to name it; rendering does not look at it
	Ext    string // ending of the file without a dot, such as "mp4"
	Video  bool   // has moving pictures, or is one picture
	Audio  bool
	Still  bool // one picture: it has no duration
	Width  int  // as it is shown, after Rotation
	Height int
	// Rotation is degrees clockwise, as its metadata say; ffmpeg heeds it by itself.
	Rotation int
	FPS      Rational // of the pictures; zero where not known or none
	Duration Rational // seconds; zero where not known
	Pixel    Rational // width by height of a pixel; zero for square ones
}

// Track is items one after the other, from frame 0 on.
type Track struct {
	ID     string // "V1", "A1": what Duck names
	Items  []Item
	Volume float64 // dB
	Mute   bool    // its sound is left out
	Hide   bool    // its pictures are left out
}

// Item is a gap, a clip, or a clip and the transition to the next.
type Item struct {
	Gap  int // frames of nothing; 0 for a clip
	Clip Clip
	// Next overlaps the end of this clip and the start of the next item, which must be a clip. Nil for a cut.
	Next *Transition
}

// Clip shows a stretch of a medium. On a video track its sound is heard too, where the medium has any; on an audio track its pictures
// are not looked at.
type Clip struct {
	ID      string
	Media   int      // index in Project.Media
	In      Rational // seconds of the medium at which it begins
	Frames  int      // length on the timeline, overlaps of transitions included; at least 1
	Speed   Rational // 2/1 is twice as fast; zero for 1
	Volume  float64  // dB
	Mute    bool
	FadeIn  int    // frames; of picture and sound
	FadeOut int    // frames
	Fit     string // how another shape fills the picture: "contain" (default), "cover", "stretch"
	Effects []Effect
}

// Transition is how one clip becomes the next.
type Transition struct {
	Kind   string // of Transitions
	Frames int    // at least 1, and no more than either clip has left
}

// Effect changes the picture or the sound of a clip.
type Effect struct {
	Kind   string // of Effects
	Params []Param
}

// Param is one setting of an effect. Without Keys it has its Value throughout.
type Param struct {
	Name  string
	Value string // a number or a colour, as the table of the effect says
	// Keys let it change, where the table says that it can: the value between two keys lies on a straight line.
	Keys []Key
}

// Key is a value at a place.
type Key struct {
	Frame int // of the clip, from 0
	Value string
}

// Place is where on the picture something is put.
type Place struct {
	Anchor string // of Places; "" is the default of what is placed
	X, Y   int    // pixels to the right and down from there
}

// Overlay is a picture or a film over the timeline.
type Overlay struct {
	ID            string
	Media         int      // index in Project.Media
	In            Rational // as in Clip
	From          int      // frame of the timeline
	Frames        int
	Speed         Rational // as in Clip
	Width, Height int      // pixels; one of them 0 keeps the shape, both 0 is the medium's own size
	Place         Place    // by default "center"
	Opacity       int      // percent; 0 stands for 100
	Volume        float64  // dB
	Mute          bool
	FadeIn        int // frames
	FadeOut       int // frames
	Effects       []Effect
}

// Text is written over the picture.
type Text struct {
	ID     string
	Text   string // may have lines; what is too wide is wrapped
	From   int    // frame of the timeline
	Frames int
	Style  string // of Styles; "" is "title"
	Place  Place  // by default the style's
	Size   int    // pixels of a letter; 0 is the style's
	Color  string // "#rrggbb"; "" is the style's
	Fade   int    // frames that it takes to come and to go; 0 is the style's, -1 none
}

// Duck lowers a track while another one is heard.
type Duck struct {
	Track string  // that is lowered
	Under string  // that is heard
	By    float64 // dB at most, such as -12; 0 stands for -12
}

// Marker is a named place.
type Marker struct {
	Name  string
	Frame int
}

// Command is one run of a program. {in:N}, {out:0} and {file:NAME} in Args stand for the names that the host gives.
type Command struct {
	Args   []string // of ffmpeg, without its name
	Inputs []int    // for each {in:N} the index in Project.Media
	// Output is the ending of the file that {out:0} stands for, without a dot; "" where the bytes are printed, as a query must have it.
	Output string
	Files  []File
	Frames int // that the output has
	Memory int // MiB of address space that it may take at most
}

// File is a text, or a font, that the program reads.
type File struct {
	Name string
	Data []byte
}

// Length is how many frames a track takes.
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

// Frames is how long the film is: to the end of the last clip, overlay or text, also of tracks that are hidden or mute.
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
