package command

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fcp-host/fcp-host/internal/judge"
)

// hostileSVG is an SVG with everything that an attacker may try.
const hostileSVG = `<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 400 300" onload="parent.document.title='owned';fetch('http://127.0.0.1:9/onload')">
<style>@import url("http://127.0.0.1:9/import.css"); @font-face{font-family:f;src:url("http://127.0.0.1:9/font")} text{font-family:f;background:url("http://127.0.0.1:9/bg")}</style>
<script>parent.document.title='owned'; fetch('http://127.0.0.1:9/script')</script><script href="http://127.0.0.1:9/src.js"/>
<image href="http://127.0.0.1:9/image.png" width="50" height="50"/><image xlink:href="http://127.0.0.1:9/x.png" width="50" height="50"/>
<use href="http://127.0.0.1:9/use.svg#a"/><a href="javascript:parent.document.title='owned'"><rect width="400" height="300" fill="#fc0"/></a>
<foreignObject width="200" height="200"><body xmlns="http://www.w3.org/1999/xhtml"><iframe src="http://127.0.0.1:9/frame"></iframe><img src="http://127.0.0.1:9/img" onerror="parent.document.title='owned'"/><form action="http://127.0.0.1:9/form"><button>x</button></form></body></foreignObject>
<animate attributeName="href" onbegin="parent.document.title='owned'"/><text x="20" y="250" font-size="30">hostile</text></svg>`

// bombSVG returns a small SVG that draws itself a hundred million times.
func bombSVG() string {
	text := `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><defs><g id="a0"><rect width="1" height="1"/></g>`
	for i := range 8 {
		text += fmt.Sprintf(`<g id="a%d">%s</g>`, i+1, strings.Repeat(fmt.Sprintf(`<use href="#a%d"/>`, i), 10))
	}
	return text + `</defs><use href="#a8"/></svg>`
}

// whole is true if the whole picture is visible and larger than a dot.
const whole = shows + ` && (() => { const r = document.querySelector("#picture").getBoundingClientRect(), s = document.querySelector("#stage").getBoundingClientRect();
	return r.left >= s.left && r.right <= s.right && r.top >= s.top && r.bottom <= s.bottom && r.width > 200; })()`

func TestJudgeAHostileSVGRunsNothingAndSendsNoRequest(t *testing.T) {
	judge.Browser(t)
	c, address := startView(t, "svg")
	put(t, c.cmd.Dir, "hostile.svg", hostileSVG)
	c.session("svg", "open ./hostile.svg")
	p := judge.Open(t, address, 900, 600, false)
	p.Wait(shows)
	p.Click(300, 300)
	p.Wait(`document.querySelector("#picture").src.startsWith("data:image/svg+xml;base64,")`)
	keepPicture(t, p, "hostile")
	c.edit("svg", "style @all opacity:0.5")
	p.Wait(`document.querySelectorAll(".change").length > 0`)
	var title string
	p.Eval(`document.title`, &title)
	if strings.Contains(title, "owned") {
		t.Errorf("its script ran: %s", title)
	}
	var markup int
	p.Eval(`document.querySelectorAll("foreignObject, iframe, object, embed, image, script").length`, &markup)
	if markup != 1 {
		t.Errorf("the page has %d elements that it should not have", markup-1)
	}
	// An SVG that draws itself many times is not shown; a very small and a very large one are shown completely.
	put(t, c.cmd.Dir, "bomb.svg", bombSVG())
	put(t, c.cmd.Dir, "icon.svg", `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="M0 0h1v1H0z" fill="#f00"/></svg>`)
	put(t, c.cmd.Dir, "vast.svg", `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-500000 0 1000000 800000"><path d="M0 0h400000v400000H0z" fill="#f00"/></svg>`)
	for _, row := range [][2]string{{"bomb", `document.querySelector("#empty").textContent.includes("so often")`}, {"icon", whole + ` && document.querySelector("#digest").textContent.includes("0,0,1,1")`}, {"vast", whole + ` && document.querySelector("#digest").textContent.includes("800000")`}} {
		c.session("svg", "open ./"+row[0]+".svg as:"+row[0])
		p.Wait(`document.querySelector("#tabs [aria-current]").textContent.startsWith("` + row[0] + `") && ` + row[1])
		keepPicture(t, p, row[0])
		c.session("svg", "close")
	}
	checkRequests(t, p, address)
}
