package style

import (
	"fmt"
	"strings"

	"github.com/fcp-host/fcp-host/pdk"
)

// heads maps this domain's names of edge heads to draw.io's values.
func heads() [][2]string {
	return [][2]string{
		{"classic", "classic"}, {"open", "open"}, {"block", "block"}, {"triangle", "block"}, {"diamond", "diamond"}, {"hollow-diamond", "diamond"},
		{"circle", "oval"}, {"crow-foot", "ERmany"}, {"none", "none"},
	}
}

// native lists other values that draw.io uses.
const native = "classicThin openThin blockThin diamondThin oval openAsync async box halfCircle dash cross circlePlus baseDash doubleBlock " +
	"ERone ERmandOne ERmany ERoneToMany ERzeroToOne ERzeroToMany"

// HeadNames lists the names of heads.
func HeadNames() []string {
	return pdk.Map(heads(), func(h [2]string) string { return h[0] })
}

// Head returns draw.io's value for the name of a head, in any case. It also accepts draw.io's own values.
func Head(name string) (string, bool) {
	for _, h := range heads() {
		if strings.EqualFold(h[0], name) {
			return h[1], true
		}
	}
	for _, n := range strings.Fields(native) {
		if strings.EqualFold(n, name) {
			return n, true
		}
	}
	return "", false
}

// UnknownHead returns the error for a head that Head does not know.
func UnknownHead(name string) error {
	return fmt.Errorf("unknown head %q: %s", name, strings.Join(HeadNames(), " "))
}

// SetHead sets the head of an edge at its "start" or "end" to one that Head accepts.
func SetHead(s Style, end, name string) Style {
	value, _ := Head(name)
	s = s.Set(end+"Arrow", value)
	switch value {
	case "diamond", "oval", "block":
		if strings.EqualFold(name, "triangle") || strings.EqualFold(name, "hollow-diamond") {
			return s.Set(end+"Fill", "0")
		}
		return s.Set(end+"Fill", "1")
	}
	return s.Drop(end + "Fill")
}
