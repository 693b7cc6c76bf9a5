package style

import (
	"sort"
	"strings"
	"sync"

	"github.com/fcp-host/fcp-host/pdk"
)

type kind int

const (
	isText kind = iota
	isColor
	isNumber
	isFlag
	isHead
)

// keys returns the style keys of draw.io that have no word in this domain, with the kinds of their values.
func keys() map[string]kind {
	out := map[string]kind{}
	for _, list := range keyLists() {
		for _, n := range strings.Fields(list.names) {
			out[n] = list.kind
		}
	}
	return out
}

type keyList struct {
	kind  kind
	names string
}

func keyLists() []keyList {
	return []keyList{
		{isColor, "fillColor strokeColor fontColor gradientColor swimlaneFillColor labelBackgroundColor labelBorderColor imageBackground imageBorder " +
			"shadowColor laneFill"},
		{isNumber, "fontSize strokeWidth fillOpacity strokeOpacity textOpacity rotation arcSize startSize endSize sourcePerimeterSpacing " +
			"targetPerimeterSpacing perimeterSpacing spacing spacingTop spacingLeft spacingBottom spacingRight labelWidth imageWidth imageHeight " +
			"exitX exitY exitDx exitDy entryX entryY entryDx entryDy size jettyLength segment marginBottom marginTop marginLeft marginRight " +
			"stackSpacing rowLines columnLines titleHeight horizontalStack shadowOffsetX shadowOffsetY shadowBlur shadowOpacity " +
			"labelPadding position position2 base dx dy tabWidth tabHeight fontStyle"},
		{isFlag, "html dashed shadow rounded curved container collapsible recursiveResize expand resizable rotatable movable deletable editable " +
			"connectable cloneable bendable foldable glass comic sketch flipH flipV horizontal noLabel noEdgeStyle orthogonal orthogonalLoop " +
			"absoluteArcSize fixedSize fixDash backgroundOutline boundedLbl outlineConnect resizeParent resizeParentMax resizeLast swimlaneLine " +
			"swimlaneHead swimlaneBody treeFolding treeMoving autosize autosizeText resizeHeight resizeWidth imageAspect startFill endFill " +
			"exitPerimeter entryPerimeter snapToPoint pointerEvents enumerate allowArrows dropTarget locked metaEdit part rotatableLabel " +
			"centerPerimeter anchorPointDirection sourcePortConstraintRotation portConstraintRotation nullBounds includeHidden double flowAnimation"},
		{isHead, "startArrow endArrow"},
		{isText, "shape perimeter edgeStyle elbow dashPattern fontFamily verticalAlign labelPosition verticalLabelPosition whiteSpace overflow " +
			"aspect direction gradientDirection imageAlign imageVerticalAlign image fillStyle fillWeight hachureGap hachureAngle curveFitting " +
			"jiggle sketchStyle childLayout portConstraint sourcePortConstraint targetPortConstraint loopStyle jettySize points textDirection " +
			"fontSource editableCssRules html5 grIcon grStroke prIcon resIcon verticalStack indicatorShape indicatorImage indicatorColor " +
			"labelShape linecap linejoin lineShape bpmnShapeType outline symbol background participant umlStereotype sourcePort targetPort " +
			"flipLabel legacyAnchorPoints taskMarker gwType rectStyle isLoopStandard isLoopMultiParallel isLoopMultiSeq isLoopSub isAdHoc isCall"},
	}
}

// Key returns the canonical spelling of a key given in any case. It returns an unknown key unchanged.
func Key(key string) string {
	if k, ok := keySpelling()[strings.ToLower(key)]; ok {
		return k
	}
	return key
}

// keySpelling maps keys in lower case to their spelling. It is built when first needed and never written to.
var keySpelling = sync.OnceValue(spellings)

func spellings() map[string]string {
	out := map[string]string{}
	for _, k := range append(KeyNames(), Flags()...) {
		out[strings.ToLower(k)] = k
	}
	return out
}

// NumberRange returns the range of numbers for a key; ok is false for a key that takes no number.
func NumberRange(key string) (lo, hi float64, ok bool) {
	switch key = Key(key); key {
	case "font-size":
		key = "fontSize"
	case "opacity":
		return 0, 100, true
	case "stroke-width":
		key = "strokeWidth"
	}
	if keyTable()[key] != isNumber {
		return 0, 0, false
	}
	lo, hi = span(key)
	return lo, hi, true
}

// span returns the range of numbers for a key of draw.io: sizes are never negative.
func span(key string) (lo, hi float64) {
	switch key {
	case "fontSize":
		return 1, 400
	case "strokeWidth", "fillOpacity", "strokeOpacity", "textOpacity", "shadowOpacity":
		return 0, 100
	case "fontStyle":
		return 0, 15
	case "arcSize", "startSize", "endSize", "size", "labelWidth", "imageWidth", "imageHeight", "titleHeight", "tabWidth", "tabHeight":
		return 0, 100_000
	}
	return -100_000, 100_000
}

// KeyNames lists every key that Changes.Set accepts, this domain's first.
func KeyNames() []string {
	out := []string{"theme", "fill", "stroke", "font", "font-color", "font-size", "opacity", "align", "valign", "stroke-width",
		"source-arrow", "target-arrow", "exit", "entry", "unset"}
	own := len(out)
	for k := range keyTable() {
		out = append(out, k)
	}
	sort.Strings(out[own:])
	return out
}

// nearest formats a suggestion for an error, "" if no word is similar.
func nearest(word string, words []string) string {
	if near := pdk.Nearest(word, words); len(near) > 0 {
		return "; nearest: " + strings.Join(near, " ")
	}
	return ""
}
