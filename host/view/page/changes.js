// What differs between two pictures, as boxes on the plane: found by looking, so that it holds for what any domain draws.

const cell = 6, wide = 1100, apart = 40;

function drawOn(union, scale, picture, image) {
  const c = new OffscreenCanvas(Math.ceil(union.w * scale) + 1, Math.ceil(union.h * scale) + 1), g = c.getContext("2d", {willReadFrequently: true});
  g.fillStyle = "#fff";
  g.fillRect(0, 0, c.width, c.height);
  g.drawImage(image, (picture.x - union.x) * scale, (picture.y - union.y) * scale, picture.width * scale, picture.height * scale);
  return g.getImageData(0, 0, c.width, c.height);
}

function differences(before, beforeImage, after, afterImage) {
  const x = Math.min(before.x, after.x), y = Math.min(before.y, after.y);
  const union = {x, y, w: Math.max(before.x + before.width, after.x + after.width) - x, h: Math.max(before.y + before.height, after.y + after.height) - y};
  const scale = Math.min(1, wide / union.w, wide / union.h);
  const a = drawOn(union, scale, before, beforeImage), b = drawOn(union, scale, after, afterImage);
  const cols = Math.ceil(a.width / cell), rows = Math.ceil(a.height / cell), differs = new Uint8Array(cols * rows);
  for (let i = 0, p = 0; p < a.data.length; i++, p += 4) {
    const d = Math.abs(a.data[p] - b.data[p]) + Math.abs(a.data[p + 1] - b.data[p + 1]) + Math.abs(a.data[p + 2] - b.data[p + 2]);
    if (d > apart) differs[Math.floor(i / a.width / cell) * cols + Math.floor(i % a.width / cell)] = 1;
  }
  const boxes = [];
  for (let start = 0; start < differs.length; start++) {
    if (differs[start] != 1) continue;
    let x0 = cols, y0 = rows, x1 = 0, y1 = 0;
    const list = [start];
    differs[start] = 2;
    while (list.length) {
      const at = list.pop(), cx = at % cols, cy = Math.floor(at / cols);
      x0 = Math.min(x0, cx), y0 = Math.min(y0, cy), x1 = Math.max(x1, cx), y1 = Math.max(y1, cy);
      for (let dy = -2; dy <= 2; dy++) for (let dx = -2; dx <= 2; dx++) {
        const nx = cx + dx, ny = cy + dy, n = ny * cols + nx;
        if (nx >= 0 && ny >= 0 && nx < cols && ny < rows && differs[n] == 1) {
          differs[n] = 2;
          list.push(n);
        }
      }
    }
    const unit = cell / scale;
    boxes.push({x: union.x + x0 * unit, y: union.y + y0 * unit, w: (x1 - x0 + 1) * unit, h: (y1 - y0 + 1) * unit});
  }
  return boxes.length > 60 ? [around(boxes)] : boxes;
}

function around(boxes) {
  const x = Math.min(...boxes.map((b) => b.x)), y = Math.min(...boxes.map((b) => b.y));
  return {x, y, w: Math.max(...boxes.map((b) => b.x + b.w)) - x, h: Math.max(...boxes.map((b) => b.y + b.h)) - y};
}

// changedAreas are the areas of what the calls between two places of the history touched.
function changedAreas(was, is) {
  const from = Math.min(was.at, is.at), to = Math.max(was.at, is.at), ids = new Set();
  for (const call of is.calls) if (call.at > from && call.at <= to) for (const id of call.ids || []) ids.add(id);
  return is.areas.filter((a) => (a.ids || []).some((id) => ids.has(id)));
}
