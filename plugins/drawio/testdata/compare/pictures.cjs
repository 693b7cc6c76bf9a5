// Puts our pictures beside those of mxGraph. See README.md.
const fs = require("fs"), path = require("path"), zlib = require("zlib");
const { spawnSync } = require("child_process");

let client;
try {
  client = path.join(path.dirname(require.resolve("mxgraph/package.json")), "javascript");
} catch {
  console.log("skipped: mxgraph is not installed");
  process.exit(0);
}
const chromium = ["chromium", "chromium-browser", "google-chrome"].find((c) => spawnSync(c, ["--version"]).status === 0);
if (!chromium) {
  console.log("skipped: no Chromium");
  process.exit(0);
}
const args = process.argv.slice(2), out = path.resolve(args.pop() || ".");
fs.mkdirSync(out, { recursive: true });

// model is the first page's mxGraphModel.
function model(file) {
  const text = fs.readFileSync(file, "utf8");
  const plain = text.match(/<mxGraphModel[\s\S]*?<\/mxGraphModel>/);
  if (plain) return plain[0];
  const packed = text.match(/<diagram[^>]*>([^<]+)<\/diagram>/)[1];
  return decodeURIComponent(zlib.inflateRawSync(Buffer.from(packed, "base64")).toString());
}

for (const arg of args) {
  const [svg, file] = arg.split("=");
  const name = path.basename(svg, ".svg");
  const html = `<body style="margin:0;display:flex"><script>mxBasePath=${JSON.stringify("file://" + client + "/src")};mxLoadResources=false;mxLoadStylesheets=false</script>
<script src="file://${client}/mxClient.min.js"></script>
<div style="width:50%;border-right:2px solid red"><img style="max-width:100%;max-height:880px" src="file://${path.resolve(svg)}"></div>
<div id="g" style="width:50%;height:880px;overflow:hidden"></div>
<script>
const g = new mxGraph(document.getElementById("g")), s = g.getStylesheet();
const set = (o, v) => Object.assign(o, v);
set(s.getDefaultVertexStyle(), {fillColor:"#ffffff",strokeColor:"#000000",fontColor:"#000000",fontFamily:"Helvetica",fontSize:12});
set(s.getDefaultEdgeStyle(), {strokeColor:"#000000",fontColor:"#000000",labelBackgroundColor:"#ffffff",fontSize:11,fontFamily:"Helvetica",rounded:1});
for (const [n, v] of Object.entries({text:{fillColor:"none",strokeColor:"none",align:"left",verticalAlign:"top"},group:{fillColor:"none",strokeColor:"none",verticalAlign:"top"},
  edgeLabel:{fillColor:"none",strokeColor:"none",labelBackgroundColor:"#ffffff",fontSize:11},swimlane:{shape:"swimlane",fontStyle:1,startSize:23},
  line:{shape:"line",strokeWidth:4},ellipse:{shape:"ellipse",perimeter:"ellipsePerimeter"},rhombus:{shape:"rhombus",perimeter:"rhombusPerimeter"},triangle:{shape:"triangle",perimeter:"trianglePerimeter"},
  image:{shape:"image",verticalLabelPosition:"bottom",verticalAlign:"top"}})) s.putCellStyle(n, v);
g.isHtmlLabel = (c) => g.getCellStyle(c).html == 1; g.isWrapping = (c) => g.getCellStyle(c).whiteSpace == "wrap";
const doc = mxUtils.parseXml(${JSON.stringify(model(file)).replace(/</g, "\\u003c")});
g.convertValueToString = (c) => c.value && c.value.getAttribute ? c.value.getAttribute("label") || "" : c.value || "";
new mxCodec(doc).decode(doc.documentElement, g.getModel());
const b = g.getGraphBounds(), k = Math.min(1, (innerWidth / 2 - 10) / b.width, 870 / b.height);
g.view.scaleAndTranslate(k, -b.x + 5, -b.y + 5);
</script>`;
  const page = path.join(out, name + ".html");
  fs.writeFileSync(page, html);
  spawnSync(chromium, ["--headless", "--no-sandbox", "--disable-gpu", "--allow-file-access-from-files", "--virtual-time-budget=4000", "--window-size=1800,900", "--screenshot=" + path.join(out, name + ".png"), "file://" + page]);
  console.log(path.join(out, name + ".png"));
}
