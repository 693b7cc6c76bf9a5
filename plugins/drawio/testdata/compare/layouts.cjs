// Compares layouts: crossings, bends, area. See README.md.
const fs = require("fs"), os = require("os"), path = require("path");
const { spawnSync } = require("child_process");
let ELK, dagre;
try {
  ELK = require("elkjs");
  dagre = require("@dagrejs/dagre");
} catch {
  console.log("skipped: elkjs and @dagrejs/dagre are not installed");
  process.exit(0);
}
const [host, wasm] = process.argv.slice(2);
if (!host || !wasm) {
  console.log("usage: node layouts.cjs FCP-HOST DRAWIO.wasm");
  process.exit(2);
}

// random makes the same graphs every time.
function graph(n, m, seed) {
  const next = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
  const edges = [], seen = new Set();
  for (let i = 1; i < n; i++) edges.push([Math.floor(next() * i), i]);
  while (edges.length < m) {
    const a = Math.floor(next() * (n - 1)), b = a + 1 + Math.floor(next() * Math.min(8, n - a - 1));
    if (!seen.has(a + "," + b)) { seen.add(a + "," + b); edges.push([a, b]); }
  }
  return { n, edges };
}

function measure(boxes, lines) {
  let crossings = 0, bends = 0, x0 = 1e9, y0 = 1e9, x1 = -1e9, y1 = -1e9;
  for (const b of boxes) { x0 = Math.min(x0, b.x); y0 = Math.min(y0, b.y); x1 = Math.max(x1, b.x + 120); y1 = Math.max(y1, b.y + 60); }
  const side = (p, q, r) => (q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x);
  const cross = (a, b, c, d) => side(a, b, c) * side(a, b, d) < -1e-6 && side(c, d, a) * side(c, d, b) < -1e-6;
  lines.forEach((l, i) => {
    for (let k = 1; k < l.length - 1; k++) if (Math.abs(side(l[k - 1], l[k], l[k + 1])) > 1) bends++;
    for (let j = i + 1; j < lines.length; j++)
      for (let k = 1; k < l.length; k++) for (let m = 1; m < lines[j].length; m++) if (cross(l[k - 1], l[k], lines[j][m - 1], lines[j][m])) crossings++;
  });
  let overlaps = 0;
  boxes.forEach((a, i) => boxes.slice(i + 1).forEach((b) => { if (Math.abs(a.x - b.x) < 119.9 && Math.abs(a.y - b.y) < 59.9) overlaps++; }));
  return `${overlaps ? overlaps + " overlaps, " : ""}${crossings} crossings, ${bends} bends, ${Math.round(((x1 - x0) * (y1 - y0)) / 1000)}k area`;
}

function ours(g, algo) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "layouts"));
  const ops = [':new "G"'];
  for (let i = 0; i < g.n; i++) ops.push(`add box N${i} id:N${i}`);
  for (const [a, b] of g.edges) ops.push(`connect N${a} -> N${b}`);
  ops.push("layout algo:" + algo, ":save as:./g.drawio");
  fs.writeFileSync(path.join(dir, "g.fcp"), ops.join("\n") + "\n");
  const run = spawnSync(path.resolve(host), ["exec", "--plugin", path.resolve(wasm), "g.fcp"], { cwd: dir });
  if (run.status !== 0) throw new Error(run.stdout + "" + run.stderr);
  const text = fs.readFileSync(path.join(dir, "g.drawio"), "utf8");
  fs.rmSync(dir, { recursive: true });
  const boxes = [], lines = [];
  for (const [cell] of text.matchAll(/<mxCell [\s\S]*?<\/mxCell>/g)) {
    const num = (re) => { const m = cell.match(re); return m ? +m[1] : undefined; };
    if (/vertex="1"/.test(cell)) boxes[+cell.match(/id="N(\d+)"/)[1]] = { x: num(/ x="([-\d.]+)"/) || 0, y: num(/ y="([-\d.]+)"/) || 0 };
    if (!/edge="1"/.test(cell)) continue;
    const a = boxes[num(/source="N(\d+)"/)], b = boxes[num(/target="N(\d+)"/)];
    const port = (box, w, dx, dy) => ({ x: box.x + 120 * (num(new RegExp(w + "X=([-\\d.]+)")) ?? dx), y: box.y + 60 * (num(new RegExp(w + "Y=([-\\d.]+)")) ?? dy) });
    if (straight(algo)) {
      lines.push([a, b].map((box) => ({ x: box.x + 60, y: box.y + 30 })));
      continue;
    }
    lines.push([port(a, "exit", 0.5, 1), ...[...cell.matchAll(/<mxPoint x="([-\d.]+)" y="([-\d.]+)"/g)].map((m) => ({ x: +m[1], y: +m[2] })), port(b, "entry", 0.5, 0)]);
  }
  return measure(boxes, lines);
}

const straight = (algo) => ["force", "radial", "stress"].includes(algo);

async function elk(g, algo) {
  const r = await new ELK().layout({
    id: "root", layoutOptions: { "elk.algorithm": algo, "elk.direction": "DOWN", "elk.edgeRouting": "ORTHOGONAL", "elk.spacing.nodeNode": "60", "elk.layered.spacing.nodeNodeBetweenLayers": "60" },
    children: Array.from({ length: g.n }, (_, i) => ({ id: "N" + i, width: 120, height: 60 })),
    edges: g.edges.map(([a, b], i) => ({ id: "e" + i, sources: ["N" + a], targets: ["N" + b] })),
  });
  const centre = (id) => { const c = r.children.find((c) => c.id === id); return { x: c.x + 60, y: c.y + 30 }; };
  if (straight(algo)) return measure(r.children, r.edges.map((e) => [centre(e.sources[0]), centre(e.targets[0])]));
  return measure(r.children, r.edges.map((e) => [e.sections[0].startPoint, ...(e.sections[0].bendPoints || []), e.sections[0].endPoint]));
}

function dagreLayout(g) {
  const d = new dagre.graphlib.Graph({ multigraph: true });
  d.setGraph({ rankdir: "TB", nodesep: 60, ranksep: 60 });
  d.setDefaultEdgeLabel(() => ({}));
  for (let i = 0; i < g.n; i++) d.setNode("N" + i, { width: 120, height: 60 });
  g.edges.forEach(([a, b], i) => d.setEdge("N" + a, "N" + b, {}, "e" + i));
  dagre.layout(d);
  return measure(d.nodes().map((v) => ({ x: d.node(v).x - 60, y: d.node(v).y - 30 })), d.edges().map((e) => d.edge(e).points));
}

(async () => {
  for (const [n, m, seed] of [[20, 26, 7], [50, 65, 11], [100, 130, 3]]) {
    const g = graph(n, m, seed);
    console.log(`${n} nodes, ${g.edges.length} edges`);
    console.log("  layered        " + ours(g, "layered"));
    console.log("  elkjs layered  " + (await elk(g, "layered")));
    console.log("  dagre          " + dagreLayout(g));
    console.log("  force          " + ours(g, "force"));
    console.log("  elkjs stress   " + (await elk(g, "stress")));
  }
  for (const [n, seed] of [[20, 7], [50, 11], [100, 3]]) {
    const g = graph(n, 0, seed);
    console.log(`a tree of ${n} nodes`);
    console.log("  tree           " + ours(g, "tree"));
    console.log("  elkjs mrtree   " + (await elk(g, "mrtree")));
    console.log("  dagre          " + dagreLayout(g));
    console.log("  radial         " + ours(g, "radial"));
    console.log("  elkjs radial   " + (await elk(g, "radial")));
  }
})();
