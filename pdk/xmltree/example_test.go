package xmltree_test

import (
	"fmt"

	"github.com/fcp-host/fcp-host/pdk/xmltree"
)

// An edit changes only the bytes of what it names, and its inverse restores them.
func Example() {
	text := `<svg xmlns:ink='urn:x'><!-- a dot --><circle  r="5" ink:label='dot'/></svg>`
	root, err := xmltree.Parse(text)
	if err != nil {
		fmt.Println(err)
		return
	}
	edit := root.Child("circle").SetAttr("r", "8")
	changed, _ := edit.Apply(text)
	back, _ := edit.Inverse().Apply(changed)
	fmt.Println(changed)
	fmt.Println(back == text)
	// Output:
	// <svg xmlns:ink='urn:x'><!-- a dot --><circle  r="8" ink:label='dot'/></svg>
	// true
}

// Nodes lists everything between the tags, including text and comments.
func ExampleElement_Nodes() {
	root, _ := xmltree.Parse(`<text>5 &lt; <b>6</b><!-- why --><![CDATA[ & 7]]></text>`)
	for n := range root.Nodes() {
		fmt.Printf("%d %q\n", n.Kind, root.TextOf(n))
	}
	// Output:
	// 1 "5 < "
	// 0 ""
	// 3 ""
	// 2 " & 7"
}

// An error contains its byte offset.
func ExampleParse() {
	_, err := xmltree.Parse("<svg><g></svg>")
	fmt.Println(err)
	// Output: byte 8: </svg> where </g> is expected (opened at byte 5)
}

// Untrusted text is parsed within limits.
func ExampleLimits_Parse() {
	_, err := xmltree.Limits{Elements: 2}.Parse("<a><b/><c/></a>")
	fmt.Println(err)
	// Output: byte 7: more than 2 elements
}
