// Finds the areas that differ between two pictures, as boxes in the pictures' units. It compares pixels, which works for every domain.

const cellSize = 6, maxCanvas = 1100; // pixels
const minDifference = 40; // of a pixel's red, green and blue together

// pixelsOf draws a picture on white at its place in area.
function pixelsOf(picture, image, area, scale) {
  const c = new OffscreenCanvas(Math.ceil(area.w * scale) + 1, Math.ceil(area.h * scale) + 1), g = c.getContext("2d", {willReadFrequently: true});
  g.fillStyle = "#fff";
  g.fillRect(0, 0, c.width, c.height);
  g.drawImage(image, (picture.x - area.x) * scale, (picture.y - area.y) * scale, picture.width * scale, picture.height * scale);
  return g.getImageData(0, 0, c.width, c.height);
}

function differences(before, beforeImage, after, afterImage) {
  const x = Math.min(before.x, after.x), y = Math.min(before.y, after.y);
  const union = {x, y, w: Math.max(before.x + before.width, after.x + after.width) - x, h: Math.max(before.y + before.height, after.y + after.height) - y};
  const scale = Math.min(1, maxCanvas / union.w, maxCanvas / union.h);
  const a = pixelsOf(before, beforeImage, union, scale), b = pixelsOf(after, afterImage, union, scale);
  const cols = Math.ceil(a.width / cellSize), rows = Math.ceil(a.height / cellSize);
  const cells = new Uint8Array(cols * rows); // 1: differs, 2: differs and is in a box
  for (let i = 0, p = 0; p < a.data.length; i++, p += 4) {
    const d = Math.abs(a.data[p] - b.data[p]) + Math.abs(a.data[p + 1] - b.data[p + 1]) + Math.abs(a.data[p + 2] - b.data[p + 2]);
    if (d > minDifference) cells[Math.floor(i / a.width / cellSize) * cols + Math.floor(i % a.width / cellSize)] = 1;
  }
  const boxes = [];
  for (let start = 0; start < cells.length; start++) {
    if (cells[start] != 1) continue;
    let x0 = cols, y0 = rows, x1 = 0, y1 = 0;
    const queue = [start];
    cells[start] = 2;
    while (queue.length) {
      const at = queue.pop(), cx = at % cols, cy = Math.floor(at / cols);
      x0 = Math.min(x0, cx), y0 = Math.min(y0, cy), x1 = Math.max(x1, cx), y1 = Math.max(y1, cy);
      for (let dy = -2; dy <= 2; dy++) for (let dx = -2; dx <= 2; dx++) {
        const nx = cx + dx, ny = cy + dy, n = ny * cols + nx;
        if (nx >= 0 && ny >= 0 && nx < cols && ny < rows && cells[n] == 1) {
          cells[n] = 2;
          queue.push(n);
        }
      }
    }
    const unit = cellSize / scale;
    boxes.push({x: union.x + x0 * unit, y: union.y + y0 * unit, w: (x1 - x0 + 1) * unit, h: (y1 - y0 + 1) * unit});
  }
  return boxes.length > 60 ? [boundingBox(boxes)] : boxes;
}

function boundingBox(boxes) {
  const x = Math.min(...boxes.map((b) => b.x)), y = Math.min(...boxes.map((b) => b.y));
  return {x, y, w: Math.max(...boxes.map((b) => b.x + b.w)) - x, h: Math.max(...boxes.map((b) => b.y + b.h)) - y};
}

// changedAreas returns the areas of the elements that the calls between two answers changed.
function changedAreas(before, after) {
  const from = Math.min(before.at, after.at), to = Math.max(before.at, after.at), ids = new Set();
  for (const call of after.calls) if (call.at > from && call.at <= to) for (const id of call.ids || []) ids.add(id);
  return after.areas.filter((a) => (a.ids || []).some((id) => ids.has(id)));
}
