// What the shapes of draw.io are built on, as far as they use it.
function mxShape() {}
mxShape.prototype.paintVertexShape = function(c, x, y, w, h) {
  this.paintBackground(c, x, y, w, h);
  c.setShadow(false);
  this.paintForeground(c, x, y, w, h);
};
mxShape.prototype.paintBackground = function() {};
mxShape.prototype.paintForeground = function() {};
mxShape.prototype.getLabelBounds = function(rect) { return rect; };
mxShape.prototype.getLabelMargins = function() { return null; };
mxShape.prototype.getArcSize = function(w, h) {
  if (mxUtils.getValue(this.style, "absoluteArcSize", 0) == "1") return Math.min(w / 2, Math.min(h / 2, mxUtils.getValue(this.style, "arcSize", 20) / 2));
  var f = mxUtils.getValue(this.style, "arcSize", 15) / 100;
  return Math.min(w * f, h * f);
};
mxShape.prototype.addPoints = function(c, pts, rounded, arcSize, close) {
  var n = pts.length;
  for (var i = 0; i < n; i++) {
    var p = pts[i], a = pts[(i + n - 1) % n], b = pts[(i + 1) % n];
    var d1 = Math.sqrt((p.x - a.x) * (p.x - a.x) + (p.y - a.y) * (p.y - a.y)), d2 = Math.sqrt((p.x - b.x) * (p.x - b.x) + (p.y - b.y) * (p.y - b.y));
    if (rounded && d1 > 0 && d2 > 0 && (close || (i > 0 && i < n - 1))) {
      var r1 = Math.min(d1 / 2, arcSize) / d1, r2 = Math.min(d2 / 2, arcSize) / d2;
      var x = p.x + (a.x - p.x) * r1, y = p.y + (a.y - p.y) * r1;
      if (i == 0) c.moveTo(x, y); else c.lineTo(x, y);
      c.quadTo(p.x, p.y, p.x + (b.x - p.x) * r2, p.y + (b.y - p.y) * r2);
    } else if (i == 0) c.moveTo(p.x, p.y);
    else c.lineTo(p.x, p.y);
  }
  if (close) c.close();
};
mxShape.prototype.strictDrawShape = function(c, x, y, w, h, own) {
  var look = this.style, get = function(key, usual) { return own && own[key] != null ? own[key] : mxUtils.getValue(look, key, usual); };
  var r = get("rectStyle", "square") == "rounded" ? Math.min(get("size", 10), Math.min(w, h) / 2) : 0;
  c.setStrokeWidth(get("strokeWidth", 1));
  c.setDashed(get("dashed", 0) == 1 || get("dashed", 0) == true);
  c.roundrect(x, y, w, h, r, r);
  c.fillAndStroke();
  if (get("rectOutline", "single") != "double") return;
  var d = get("indent", 2);
  c.setShadow(false);
  c.roundrect(x + d, y + d, w - 2 * d, h - 2 * d, Math.max(0, r - d), Math.max(0, r - d));
  c.stroke();
};
function mxPoint(x, y) { this.x = x; this.y = y; }
function mxRectangle(x, y, width, height) { this.x = x; this.y = y; this.width = width; this.height = height; }
function mxConnectionConstraint() {}
mxUtils.extend = function(sub, base) {
  function F() {}
  F.prototype = base.prototype;
  sub.prototype = new F();
  sub.prototype.constructor = sub;
};
function mxActor() {}
mxUtils.extend(mxActor, mxShape);
mxActor.prototype.paintVertexShape = function(c, x, y, w, h) {
  c.translate(x, y);
  c.begin();
  this.redrawPath(c, x, y, w, h);
  c.fillAndStroke();
};
function mxRectangleShape() {}
mxUtils.extend(mxRectangleShape, mxShape);
mxRectangleShape.prototype.paintBackground = function(c, x, y, w, h) {
  var r = mxUtils.getValue(this.style, "rounded", 0) == 1 ? this.getArcSize(w, h) : 0;
  c.roundrect(x, y, w, h, r, r);
  c.fillAndStroke();
};
function mxEllipse() {}
mxUtils.extend(mxEllipse, mxShape);
mxEllipse.prototype.paintVertexShape = function(c, x, y, w, h) {
  c.ellipse(x, y, w, h);
  c.fillAndStroke();
};
function mxHexagon() {}
mxUtils.extend(mxHexagon, mxActor);
mxHexagon.prototype.redrawPath = function(c, x, y, w, h) {
  this.addPoints(c, [new mxPoint(0.25 * w, 0), new mxPoint(0.75 * w, 0), new mxPoint(w, 0.5 * h), new mxPoint(0.75 * w, h), new mxPoint(0.25 * w, h), new mxPoint(0, 0.5 * h)],
    mxUtils.getValue(this.style, "rounded", 0) == 1, mxUtils.getValue(this.style, "arcSize", 20) / 2, true);
};
function mxArrow() {}
mxUtils.extend(mxArrow, mxShape);
function mxSwimlane() {}
mxUtils.extend(mxSwimlane, mxShape);
function NoteShape() {}
mxUtils.extend(NoteShape, mxShape);
NoteShape.prototype.size = 30;
NoteShape.prototype.paintVertexShape = function(c, x, y, w, h) {
  c.translate(x, y);
  var s = Math.max(0, Math.min(w, Math.min(h, parseFloat(mxUtils.getValue(this.style, "size", this.size)))));
  c.begin(); c.moveTo(0, 0); c.lineTo(w - s, 0); c.lineTo(w, s); c.lineTo(w, h); c.lineTo(0, h); c.close(); c.fillAndStroke();
  c.setShadow(false);
  c.begin(); c.moveTo(w - s, 0); c.lineTo(w - s, s); c.lineTo(w, s); c.stroke();
};
mxCellRenderer.registerShape("note", NoteShape);
