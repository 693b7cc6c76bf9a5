// The stage: shows a picture, which can be moved and zoomed. The plugin's drawing is only an image; the page draws the boxes over it.

const smallPicture = 320; // pixels; a picture is enlarged at most to this size, or to twice its own

function makeStage(stage, sheet, image, marks, onZoom) {
  let bounds = null, shownImage = null; // the area that the picture covers, in its own units, and its image
  let scale = 1, left = 0, top = 0, fitted = true;
  const size = () => ({w: stage.clientWidth, h: stage.clientHeight});
  const layout = () => {
    if (!bounds) return;
    sheet.style.left = bounds.x * scale + left + "px";
    sheet.style.top = bounds.y * scale + top + "px";
    sheet.style.width = bounds.width * scale + "px";
    sheet.style.height = bounds.height * scale + "px";
    for (const e of marks.children) positionMark(e);
    onZoom(scale);
  };
  const positionMark = (e) => {
    const grow = e.className == "change" ? 4 : 2, a = e.area;
    e.style.left = (a.x - bounds.x) * scale - grow + "px";
    e.style.top = (a.y - bounds.y) * scale - grow + "px";
    e.style.width = a.w * scale + 2 * grow + "px";
    e.style.height = a.h * scale + 2 * grow + "px";
  };
  const margin = () => Math.min(40, size().w / 12), toolsHeight = 62;
  // fitScale returns the scale at which the whole picture is visible, with space for the tools below it.
  const fitScale = () => {
    const {w, h} = size();
    return Math.max(1e-9, Math.min(Math.max(2, smallPicture / Math.max(bounds.width, bounds.height)), (w - 2 * margin()) / bounds.width, (h - margin() - toolsHeight) / bounds.height));
  };
  const fit = () => {
    fitted = true;
    if (!bounds) return;
    const {w, h} = size();
    scale = fitScale();
    left = (w - bounds.width * scale) / 2 - bounds.x * scale;
    top = margin() + (h - margin() - toolsHeight - bounds.height * scale) / 2 - bounds.y * scale;
    layout();
  };
  const zoom = (factor, x = size().w / 2, y = size().h / 2) => {
    if (!bounds) return;
    const next = Math.max(Math.min(0.02, fitScale() / 4), Math.min(Math.max(16, fitScale() * 16), scale * factor));
    left = x - (x - left) * next / scale;
    top = y - (y - top) * next / scale;
    scale = next;
    fitted = false;
    layout();
  };
  const move = (dx, dy) => {
    left += dx;
    top += dy;
    fitted = false;
    layout();
  };
  new ResizeObserver(() => fitted ? fit() : layout()).observe(stage);

  const at = (e) => {
    const r = stage.getBoundingClientRect();
    return {x: e.clientX - r.left, y: e.clientY - r.top};
  };
  const planePoint = (e) => {
    const p = at(e);
    return {x: (p.x - left) / scale, y: (p.y - top) / scale};
  };
  const pointers = new Map();
  let from = null, moved = false;
  const handlers = {click: () => {}, hover: () => {}, step: () => {}}; // the page sets them
  stage.addEventListener("pointerdown", (e) => {
    if (e.button != 0 || e.target.closest("button, select, pre, #tools, #past, #picked")) return;
    stage.setPointerCapture(e.pointerId);
    pointers.set(e.pointerId, at(e));
    from = at(e);
    moved = pointers.size > 1;
  });
  stage.addEventListener("pointermove", (e) => {
    const was = pointers.get(e.pointerId);
    if (!was) {
      if (bounds) handlers.hover(planePoint(e));
      return;
    }
    const now = at(e);
    if (pointers.size == 1) {
      if (!moved && Math.hypot(now.x - from.x, now.y - from.y) < 4) return;
      moved = true;
      stage.classList.add("drags");
      move(now.x - was.x, now.y - was.y);
    } else if (pointers.size == 2) {
      const [a, b] = pointers.values(), other = a == was ? b : a;
      const before = Math.hypot(was.x - other.x, was.y - other.y), after = Math.hypot(now.x - other.x, now.y - other.y);
      if (before > 0) zoom(after / before, (now.x + other.x) / 2, (now.y + other.y) / 2);
      move((now.x - was.x) / 2, (now.y - was.y) / 2);
    }
    pointers.set(e.pointerId, now);
  });
  const release = (e) => {
    if (!pointers.delete(e.pointerId)) return;
    stage.classList.remove("drags");
    if (!moved && e.type == "pointerup" && bounds) handlers.click(planePoint(e));
  };
  stage.addEventListener("pointerup", release);
  stage.addEventListener("pointercancel", release);
  stage.addEventListener("dblclick", (e) => {
    if (!e.target.closest("button, select, pre")) zoom(1.6, at(e).x, at(e).y);
  });
  stage.addEventListener("wheel", (e) => {
    if (e.target.closest("pre")) return;
    e.preventDefault();
    const unit = e.deltaMode ? 24 : 1, p = at(e);
    if (e.ctrlKey || e.metaKey) zoom(Math.exp(-Math.max(-60, Math.min(60, e.deltaY * unit)) / 100), p.x, p.y);
    else if (e.shiftKey && !e.deltaX) move(-e.deltaY * unit, 0);
    else move(-e.deltaX * unit, -e.deltaY * unit);
  }, {passive: false});

  return {
    fit, zoom, handlers,
    // press does what a key means for the picture, in lower case, and reports whether it means anything.
    press(key) {
      if (!bounds) return false;
      const step = {arrowleft: [60, 0], arrowright: [-60, 0], arrowup: [0, 60], arrowdown: [0, -60]}[key];
      if (step) move(...step);
      else if (key == "+" || key == "=") zoom(1.25);
      else if (key == "-") zoom(0.8);
      else if (key == "0") fit();
      else if (key == "1") zoom(1 / scale);
      else if (key == "n" || key == "p") handlers.step(key == "n" ? 1 : -1);
      else return false;
      return true;
    },
    // show replaces the shown picture once the new one is decoded, unless superseded() is true by then. reset fits it into the window.
    async show(picture, name, reset, superseded) {
      if (shownImage && !reset && shownImage.src == picture.url) return shownImage; // the same picture: keep the marks
      const next = new Image();
      next.src = picture.url;
      await next.decode().catch(() => { throw new Error("the picture cannot be shown"); });
      if (superseded()) return next;
      image.src = picture.url;
      image.alt = name;
      shownImage = next;
      if (!bounds) reset = true;
      bounds = picture;
      sheet.hidden = false;
      marks.replaceChildren();
      if (reset || fitted) fit();
      else layout();
      return next;
    },
    hide() {
      bounds = shownImage = null;
      sheet.hidden = true;
      marks.replaceChildren();
    },
    mark(kind, area) {
      const e = document.createElement("div");
      e.className = kind;
      e.area = area;
      marks.append(e);
      positionMark(e);
      if (kind == "change") e.addEventListener("animationend", () => e.remove());
      return e;
    },
    unmark(kind) {
      for (const e of marks.querySelectorAll("." + kind)) e.remove();
    },
    // reveal moves the picture so that an area is visible.
    reveal(a) {
      const {w, h} = size(), x = a.x * scale + left, y = a.y * scale + top;
      if (x > w - 20 || y > h - 70 || x + a.w * scale < 20 || y + a.h * scale < 20) {
        left += w / 2 - x - a.w * scale / 2;
        top += h / 2 - y - a.h * scale / 2;
        layout();
      }
    },
  };
}
