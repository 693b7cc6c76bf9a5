package render

// TransitionKind is a kind of transition.
type TransitionKind struct {
	Name  string
	About string

	filter string // the name in xfade
	luma   string // closest transition of melt: "mix", "left", "right", …; "" means a plain mix
}

// Transitions returns the kinds of transitions.
func Transitions() []TransitionKind {
	return []TransitionKind{
		{"crossfade", "one dissolves into the other", "fade", "mix"},
		{"fade-black", "over black", "fadeblack", ""},
		{"fade-white", "over white", "fadewhite", ""},
		{"fade-gray", "over grey pictures", "fadegrays", ""},
		{"dissolve", "grain by grain", "dissolve", ""},
		{"wipe-left", "an edge moves to the left", "wipeleft", ""},
		{"wipe-right", "an edge moves to the right", "wiperight", ""},
		{"wipe-up", "an edge moves up", "wipeup", ""},
		{"wipe-down", "an edge moves down", "wipedown", ""},
		{"slide-left", "the new picture pushes the old one to the left", "slideleft", ""},
		{"slide-right", "the new picture pushes the old one to the right", "slideright", ""},
		{"slide-up", "the new picture pushes the old one up", "slideup", ""},
		{"slide-down", "the new picture pushes the old one down", "slidedown", ""},
		{"smooth-left", "a soft edge moves to the left", "smoothleft", ""},
		{"smooth-right", "a soft edge moves to the right", "smoothright", ""},
		{"smooth-up", "a soft edge moves up", "smoothup", ""},
		{"smooth-down", "a soft edge moves down", "smoothdown", ""},
		{"circle-open", "a circle opens from the middle", "circleopen", ""},
		{"circle-close", "a circle closes to the middle", "circleclose", ""},
		{"circle-crop", "through a black circle", "circlecrop", ""},
		{"rect-crop", "through a black rectangle", "rectcrop", ""},
		{"vertical-open", "from the vertical middle", "vertopen", ""},
		{"vertical-close", "to the vertical middle", "vertclose", ""},
		{"horizontal-open", "from the horizontal middle", "horzopen", ""},
		{"horizontal-close", "to the horizontal middle", "horzclose", ""},
		{"diagonal-tl", "from the bottom right to the top left", "diagtl", ""},
		{"diagonal-tr", "from the bottom left to the top right", "diagtr", ""},
		{"diagonal-bl", "from the top right to the bottom left", "diagbl", ""},
		{"diagonal-br", "from the top left to the bottom right", "diagbr", ""},
		{"radial", "like the hand of a clock", "radial", ""},
		{"pixelize", "through coarse pixels", "pixelize", ""},
		{"blur", "through a horizontal blur", "hblur", ""},
		{"zoom-in", "into the old picture", "zoomin", ""},
		{"squeeze-h", "the old picture is squeezed flat", "squeezeh", ""},
		{"squeeze-v", "the old picture is squeezed narrow", "squeezev", ""},
		{"distance", "by how much the colours differ", "distance", ""},
	}
}

// transitionNamed returns the kind of a checked transition.
func transitionNamed(name string) TransitionKind {
	for _, k := range Transitions() {
		if k.Name == name {
			return k
		}
	}
	return TransitionKind{}
}
