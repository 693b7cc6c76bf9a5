package css

// Kind is the kind of values that a property accepts.
type Kind byte

// The kinds.
const (
	Free    Kind = iota // any text
	Paint               // a colour, none, or url(#id)
	Color               // a colour
	Opacity             // 0 to 1, or a percentage
	Length              // a number that is not negative, with a unit or %
	Number              // any number, with a unit or %
	Words               // one of a list
	Ref                 // none, or url(#id)
	Dashes              // none, or lengths
)

// Property is a property that SVG allows as an attribute or in CSS.
type Property struct {
	Name      string
	Kind      Kind
	Inherited bool
	Initial   string
	Words     []string
}

// Properties lists the properties that may be attributes.
func Properties() []Property { return properties }

var (
	display  = []string{"inline", "block", "none"}
	visible  = []string{"visible", "hidden", "collapse"}
	baseline = []string{"auto", "middle", "central", "hanging", "text-before-edge", "text-after-edge", "ideographic", "alphabetic", "mathematical", "text-top", "text-bottom"}
)

var properties = []Property{
	{"fill", Paint, true, "black", nil},
	{"stroke", Paint, true, "none", nil},
	{"stroke-width", Length, true, "1", nil},
	{"opacity", Opacity, false, "1", nil},
	{"fill-opacity", Opacity, true, "1", nil},
	{"stroke-opacity", Opacity, true, "1", nil},
	{"fill-rule", Words, true, "nonzero", []string{"nonzero", "evenodd"}},
	{"clip-rule", Words, true, "nonzero", []string{"nonzero", "evenodd"}},
	{"stroke-linecap", Words, true, "butt", []string{"butt", "round", "square"}},
	{"stroke-linejoin", Words, true, "miter", []string{"miter", "round", "bevel", "miter-clip", "arcs"}},
	{"stroke-miterlimit", Length, true, "4", nil},
	{"stroke-dasharray", Dashes, true, "none", nil},
	{"stroke-dashoffset", Number, true, "0", nil},
	{"color", Color, true, "black", nil},
	{"display", Words, false, "inline", display},
	{"visibility", Words, true, "visible", visible},
	{"overflow", Words, false, "visible", []string{"visible", "hidden", "scroll", "auto"}},
	{"font-family", Free, true, "", nil},
	{"font-size", Free, true, "16", nil},
	{"font-weight", Words, true, "normal", []string{"normal", "bold", "bolder", "lighter", "100", "200", "300", "400", "500", "600", "700", "800", "900"}},
	{"font-style", Words, true, "normal", []string{"normal", "italic", "oblique"}},
	{"font-variant", Free, true, "normal", nil},
	{"font-stretch", Free, true, "normal", nil},
	{"font-size-adjust", Free, true, "none", nil},
	{"font", Free, true, "", nil},
	{"letter-spacing", Free, true, "normal", nil},
	{"word-spacing", Free, true, "normal", nil},
	{"text-anchor", Words, true, "start", []string{"start", "middle", "end"}},
	{"text-decoration", Free, false, "none", nil},
	{"dominant-baseline", Words, true, "auto", baseline},
	{"alignment-baseline", Free, false, "auto", nil},
	{"baseline-shift", Free, false, "0", nil},
	{"writing-mode", Free, true, "lr-tb", nil},
	{"direction", Words, true, "ltr", []string{"ltr", "rtl"}},
	{"unicode-bidi", Free, false, "normal", nil},
	{"filter", Ref, false, "none", nil},
	{"clip-path", Ref, false, "none", nil},
	{"mask", Ref, false, "none", nil},
	{"marker", Ref, true, "none", nil},
	{"marker-start", Ref, true, "none", nil},
	{"marker-mid", Ref, true, "none", nil},
	{"marker-end", Ref, true, "none", nil},
	{"stop-color", Color, false, "black", nil},
	{"stop-opacity", Opacity, false, "1", nil},
	{"flood-color", Color, false, "black", nil},
	{"flood-opacity", Opacity, false, "1", nil},
	{"lighting-color", Color, false, "white", nil},
	{"mix-blend-mode", Words, false, "normal", []string{"normal", "multiply", "screen", "overlay", "darken", "lighten", "color-dodge", "color-burn", "hard-light", "soft-light", "difference", "exclusion", "hue", "saturation", "color", "luminosity"}},
	{"isolation", Words, false, "auto", []string{"auto", "isolate"}},
	{"paint-order", Free, true, "normal", nil},
	{"vector-effect", Words, false, "none", []string{"none", "non-scaling-stroke"}},
	{"shape-rendering", Words, true, "auto", []string{"auto", "optimizeSpeed", "crispEdges", "geometricPrecision"}},
	{"text-rendering", Words, true, "auto", []string{"auto", "optimizeSpeed", "optimizeLegibility", "geometricPrecision"}},
	{"image-rendering", Words, true, "auto", []string{"auto", "optimizeSpeed", "optimizeQuality", "pixelated", "crisp-edges", "smooth"}},
	{"color-interpolation", Free, true, "sRGB", nil},
	{"color-interpolation-filters", Free, true, "linearRGB", nil},
	{"pointer-events", Free, true, "auto", nil},
	{"cursor", Free, true, "auto", nil},
	{"transform-origin", Free, false, "0 0", nil},
}

var byName = func() map[string]*Property {
	out := map[string]*Property{}
	for i := range properties {
		out[properties[i].Name] = &properties[i]
	}
	return out
}()

// PropertyNamed returns the property with a name.
func PropertyNamed(name string) (Property, bool) {
	p := byName[name]
	if p == nil {
		return Property{}, false
	}
	return *p, true
}
