package verbs

import (
	"maps"
	"slices"
	"strings"

	"github.com/fcp-host/fcp-host/abi"
)

// Synonyms lists words that other tools use for verbs, queries and keys.
func Synonyms() []abi.Synonym {
	var out []abi.Synonym
	for _, s := range [][2]string{
		{"style", "fill stroke color colour paint recolor css set-style format"},
		{"add", "create draw insert make new shape"},
		{"modify", "set attr attribute change edit update rename"},
		{"remove", "delete del rm erase drop"},
		{"move", "translate shift place position put drag"},
		{"resize", "size enlarge shrink"},
		{"rotate", "turn spin"},
		{"scale", "zoom flip mirror"},
		{"copy", "duplicate clone"},
		{"repeat", "array tile step"},
		{"bool", "boolean combine pathop"},
		{"bool union", "union unite merge"},
		{"bool subtract", "subtract difference cut"},
		{"bool intersect", "intersect intersection"},
		{"bool exclude", "exclude xor"},
		{"outline", "stroke-to-path expand"},
		{"order", "bring send raise lower z-order"},
		{"reparent", "regroup"},
		{"group", "wrap"},
		{"text", "label set-text relabel retext"},
		{"canvas", "viewbox viewport artboard"},
		{"fit", "crop trim autofit square margin"},
		{"padding", "margin"},
		{"optimize", "optimise minify clean compress svgo"},
		{"ungroup", "unwrap dissolve"},
		{"layer hide", "hide"},
		{"layer show", "show unhide"},
		{"describe", "inspect info get"},
		{"map", "overview"},
		{"bbox", "bounds box measure getbbox"},
		{"source", "raw xml code cat"},
		{"preview", "render screenshot view"},
		{"colors", "colours palette"},
		{"lint", "check validate warnings"},
		{"at", "hit pick"},
		{"list *", "elements shapes"},
	} {
		for _, w := range strings.Fields(s[1]) {
			out = append(out, abi.Synonym{Word: w, Means: s[0]})
		}
	}
	for _, word := range slices.Sorted(maps.Keys(kindSynonyms)) {
		if word != "g" && word != "label" && word != "dot" && word != "layer" {
			out = append(out, abi.Synonym{Word: word, Means: "add " + kindSynonyms[word]})
		}
	}
	for _, k := range kinds {
		if k != "text" && k != "path" && k != "group" {
			out = append(out, abi.Synonym{Word: k, Means: "add " + k})
		}
	}
	for _, s := range [][2]string{
		{"colour:", "fill:"}, {"background:", "fill:"}, {"angle:", "by:"}, {"degrees:", "by:"}, {"position:", "at:"}, {"center:", "at:"}, {"radius:", "r:"}, {"parent:", "in:"}, {"group:", "in:"}, {"into:", "in:"}, {"name:", "id:"}, {"label:", "text:"}, {"content:", "text:"},
		{"offset:", "by:"}, {"delta:", "by:"}, {"to:", "at:"}, {"inside:", "in:"}, {"url:", "href:"}, {"src:", "href:"}, {"times:", "count:"}, {"origin:", "about:"}, {"pivot:", "about:"}, {"margin:", "padding:"}, {"spacing:", "gap:"},
		{"right:", "right-of:"}, {"left:", "left-of:"}, {"under:", "below:"}, {"over:", "above:"}, {"decimals:", "precision:"}, {"colors:", "stops:"},
		{"@name", "@id"}, {"@tag", "@type"}, {"@color", "@fill"}, {"@colour", "@fill"}, {"@in", "@group"}, {"@selector", "@css"}, {"@label", "@text"},
	} {
		out = append(out, abi.Synonym{Word: s[0], Means: s[1]})
	}
	return out
}
