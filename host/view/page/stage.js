// The stage: a picture on a plane that is moved and zoomed. What the plugin drew is an image and nothing else; boxes over it are the page's own.

const small = 320; // pixels, to which a picture is enlarged that is smaller

function makeStage(stage, sheet, image, marks, onZoom) {
  let box = null, drawn = null, scale = 1, left = 0, top = 0, fitted = true;
  const room = () => ({w: stage.clientWidth, h: stage.clientHeight});
  const place = () => {
    if (!box) return;
    sheet.style.left = box.x * scale + left + "px";
    sheet.style.top = box.y * scale + top + "px";
    sheet.style.width = box.width * scale + "px";
    sheet.style.height = box.height * scale + "px";
    for (const e of marks.children) placeMark(e);
    onZoom(scale);
  };
  const placeMark = (e) => {
    const grow = e.className == "change" ? 4 : 2, a = e.area;
    e.style.left = (a.x - box.x) * scale - grow + "px";
    e.style.top = (a.y - box.y) * scale - grow + "px";
    e.style.width = a.w * scale + 2 * grow + "px";
    e.style.height = a.h * scale + 2 * grow + "px";
  };
  const edge = () => Math.min(40, room().w / 12), foot = 62;
  // whole is the scale at which all of the picture is seen.
  const whole = () => {
    const {w, h} = room();
    return Math.max(1e-9, Math.min(Math.max(2, small / Math.max(box.width, box.height)), (w - 2 * edge()) / box.width, (h - edge() - foot) / box.height));
  };
  const fit = () => {
    fitted = true;
    if (!box) return;
    const {w, h} = room();
    scale = whole();
    left = (w - box.width * scale) / 2 - box.x * scale;
    top = edge() + (h - edge() - foot - box.height * scale) / 2 - box.y * scale;
    place();
  };
  const zoom = (factor, x = room().w / 2, y = room().h / 2) => {
    if (!box) return;
    const next = Math.max(Math.min(0.02, whole() / 4), Math.min(Math.max(16, whole() * 16), scale * factor));
    left = x - (x - left) * next / scale;
    top = y - (y - top) * next / scale;
    scale = next;
    fitted = false;
    place();
  };
  const move = (dx, dy) => {
    left += dx;
    top += dy;
    fitted = false;
    place();
  };
  new ResizeObserver(() => fitted ? fit() : place()).observe(stage);

  const at = (e) => {
    const r = stage.getBoundingClientRect();
    return {x: e.clientX - r.left, y: e.clientY - r.top};
  };
  const onPlane = (e) => {
    const p = at(e);
    return {x: (p.x - left) / scale, y: (p.y - top) / scale};
  };
  const fingers = new Map();
  let from = null, moved = false;
  const click = {hit: () => {}, over: () => {}, step: () => {}};
  stage.addEventListener("pointerdown", (e) => {
    if (e.button != 0 || e.target.closest("button, select, pre, #tools, #past, #picked")) return;
    stage.setPointerCapture(e.pointerId);
    fingers.set(e.pointerId, at(e));
    from = at(e);
    moved = fingers.size > 1;
  });
  stage.addEventListener("pointermove", (e) => {
    const was = fingers.get(e.pointerId);
    if (!was) {
      if (box) click.over(onPlane(e));
      return;
    }
    const now = at(e);
    if (fingers.size == 1) {
      if (!moved && Math.hypot(now.x - from.x, now.y - from.y) < 4) return;
      moved = true;
      stage.classList.add("drags");
      move(now.x - was.x, now.y - was.y);
    } else if (fingers.size == 2) {
      const [a, b] = fingers.values(), other = a == was ? b : a;
      const before = Math.hypot(was.x - other.x, was.y - other.y), after = Math.hypot(now.x - other.x, now.y - other.y);
      if (before > 0) zoom(after / before, (now.x + other.x) / 2, (now.y + other.y) / 2);
      move((now.x - was.x) / 2, (now.y - was.y) / 2);
    }
    fingers.set(e.pointerId, now);
  });
  const up = (e) => {
    if (!fingers.delete(e.pointerId)) return;
    stage.classList.remove("drags");
    if (!moved && e.type == "pointerup" && box) click.hit(onPlane(e));
  };
  stage.addEventListener("pointerup", up);
  stage.addEventListener("pointercancel", up);
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
  stage.addEventListener("keydown", (e) => {
    if (e.target != stage || e.ctrlKey || e.metaKey || e.altKey) return;
    const step = {ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60]}[e.key];
    if (step) move(...step);
    else if (e.key == "+" || e.key == "=") zoom(1.25);
    else if (e.key == "-") zoom(0.8);
    else if (e.key == "0") fit();
    else if (e.key == "1") zoom(1 / scale);
    else if (e.key == "n" || e.key == "p") click.step(e.key == "n" ? 1 : -1);
    else return;
    e.preventDefault();
  });

  return {
    fit, zoom, click,
    scale: () => scale,
    // show puts another picture in the place of what is shown, once it is drawn.
    async show(picture, name, anew, over) {
      if (drawn && !anew && drawn.src == picture.url) return drawn; // marks stay
      const next = new Image();
      next.src = picture.url;
      await next.decode().catch(() => { throw new Error("the picture cannot be shown"); });
      if (over()) return next;
      image.src = picture.url;
      image.alt = name;
      drawn = next;
      const other = !box || anew;
      box = picture;
      sheet.hidden = false;
      marks.replaceChildren();
      if (other || fitted) fit();
      else place();
      return next;
    },
    hide() {
      box = drawn = null;
      sheet.hidden = true;
      marks.replaceChildren();
    },
    mark(kind, area) {
      const e = document.createElement("div");
      e.className = kind;
      e.area = area;
      marks.append(e);
      placeMark(e);
      if (kind == "change") e.addEventListener("animationend", () => e.remove());
      return e;
    },
    unmark(kind) {
      for (const e of marks.querySelectorAll("." + kind)) e.remove();
    },
    // reveal moves the picture so that an area is seen.
    reveal(a) {
      const {w, h} = room(), x = a.x * scale + left, y = a.y * scale + top;
      if (x > w - 20 || y > h - 70 || x + a.w * scale < 20 || y + a.h * scale < 20) {
        left += w / 2 - x - a.w * scale / 2;
        top += h / 2 - y - a.h * scale / 2;
        place();
      }
    },
  };
}
