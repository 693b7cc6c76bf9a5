// Does with Skia's PathKit and with Paper.js what the cases on standard input say, and prints the paths.
const text = require("fs").readFileSync(0, "utf8");
const paper = require("paper/dist/paper-core");
paper.setup(new paper.Size(1000, 1000));
const wasmBinary = require("fs").readFileSync(require.resolve("pathkit-wasm/bin/pathkit.wasm"));
require("pathkit-wasm/bin/pathkit.js")({ wasmBinary }).then(kit => {
  const read = (d, odd) => {
    const p = kit.FromSVGString(d);
    p.setFillType(odd ? kit.FillType.EVENODD : kit.FillType.WINDING);
    return p;
  };
  const done = p => ({ path: p.toSVGString(), evenOdd: p.getFillType().value === kit.FillType.EVENODD.value });
  const out = JSON.parse(text).map(c => {
    switch (c.do) {
      case "stroke": {
        const p = read(c.a);
        if (c.dash) p.dash(c.dash[0], c.dash[1], c.dash[2]);
        return done(p.stroke({
          width: c.width, miter_limit: c.miter,
          join: [kit.StrokeJoin.MITER, kit.StrokeJoin.ROUND, kit.StrokeJoin.BEVEL][c.join],
          cap: [kit.StrokeCap.BUTT, kit.StrokeCap.ROUND, kit.StrokeCap.SQUARE][c.cap],
        }));
      }
      case "simplify": {
        const p = new paper.Path(c.a);
        p.simplify(c.tolerance);
        return { path: p.pathData, evenOdd: false };
      }
    }
    const p = read(c.a, c.aOdd);
    p.op(read(c.b, c.bOdd), { union: kit.PathOp.UNION, difference: kit.PathOp.DIFFERENCE, intersection: kit.PathOp.INTERSECT, exclusion: kit.PathOp.XOR }[c.do]);
    return done(p);
  });
  console.log(JSON.stringify(out));
});
