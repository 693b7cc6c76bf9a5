// The page shows one of the open documents: its picture, pages, sound, the selection, and what the last call did.

const $ = (id) => document.getElementById(id);
const transport = document.querySelector("meta[name=fcp-transport]").content;
const wire = transport == "app" ? appWire() : browserWire();
const stage = makeStage($("stage"), $("sheet"), $("picture"), $("marks"), (scale) => {
  const percent = scale * 100;
  $("fit").textContent = (percent < 1 ? Number(percent.toPrecision(1)) : Math.round(percent)) + " %";
  $("fit").setAttribute("aria-label", $("fit").textContent + ", fit into the window");
});

let state = {documents: [], follow: -1}; // the open documents
let pinned = null; // key of the document that the person chose; null to follow the model
let shown = null; // the answer that is shown, with its image
let pageByKey = new Map(); // the page that the person chose, by document key
let selected = "";
let appDocument = null; // in an MCP App: the document of the tool call that the page belongs to

let song = null; // the notes and levels to play, with the key of their document
let position = 0; // in the song, in milliseconds
const history = makeHistory(() => shown, () => refresh(true));
const sound = makeSound((ms) => showTime(ms, true), (ms) => {
  showTime(ms);
  drawPlayer();
});

const keyOf = (d) => d.domain + "/" + d.name;
const nameOf = (d) => d.handle && d.title || d.name;
const showMessage = (text) => { $("live").textContent = text; };

function element(tag, className, text) {
  const e = document.createElement(tag);
  if (className) e.className = className;
  if (text !== undefined) e.textContent = text;
  return e;
}

// One load runs at a time. A change during a load causes another load after it; a choice of the person replaces the running load.
let newestLoad = 0, loading = false, reload = false;
async function refresh(atOnce) {
  if (loading && !atOnce) {
    reload = true;
    return;
  }
  const thisLoad = ++newestLoad;
  loading = true;
  do {
    reload = false;
    try {
      await load(() => thisLoad != newestLoad);
      if (thisLoad == newestLoad) showMessage("");
    } catch (e) {
      if (thisLoad == newestLoad) showMessage(e.message);
    }
  } while (reload && thisLoad == newestLoad);
  if (thisLoad == newestLoad) loading = false;
}

// load shows the current state of the host. superseded() is true once a newer load has begun.
async function load(superseded) {
  const open = await wire.call({do: "state", ...appDocument});
  if (superseded()) return;
  state = open;
  const follow = state.documents[state.follow];
  const doc = state.documents.find((d) => keyOf(d) == pinned) || follow || state.documents[0];
  if (doc && keyOf(doc) != pinned) pinned = null;
  drawTabs(doc, follow);
  if (!doc) {
    showEmpty("No document is open. Documents that the model opens or creates appear here.");
    return;
  }
  if (doc.waits) { // until its call has an answer from the world or a person, the host refuses requests about it
    if (!shown || keyOf(shown) != keyOf(doc)) showEmpty("");
    clearTimeout(retry);
    retry = setTimeout(refresh, 1000);
    throw new Error("A call waits for an answer from outside. Its result is shown when it is done.");
  }
  const request = {do: "show", domain: doc.domain, name: doc.name, page: pageByKey.get(keyOf(doc)) || 0};
  if (history.past() !== null && shown && keyOf(shown) == keyOf(doc)) {
    request.at = history.past();
    request.revision = shown.revision;
  }
  let answer;
  try {
    answer = await wire.call(request);
  } catch (e) {
    if (superseded()) return;
    if (history.past() === null) throw e;
    history.reset(); // the history has changed, so the number of ops is out of date
    reload = true;
    return;
  }
  if (superseded()) return;
  if (request.at === undefined) history.reset();
  await draw(answer, superseded);
}
let retry = 0;

// showEmpty shows a text and no document.
function showEmpty(text) {
  shown = null;
  history.reset();
  stage.hide();
  select("");
  sound.stop();
  song = null;
  for (const id of ["text", "pages", "player", "said"]) $(id).hidden = true;
  $("digest").textContent = "";
  $("empty").hidden = false;
  $("empty").textContent = text;
  history.draw();
}

function drawTabs(doc, follow) {
  const tabs = state.documents.map((d) => {
    const b = element("button", pinned !== null && d == follow && d != doc ? "new" : ""), name = element("span", "", nameOf(d));
    b.type = "button";
    b.append(name, element("small", "", d.domain + (d.dirty ? " · unsaved" : "")));
    b.title = (d.title || d.name) + (d.file ? "\n" + d.file : "");
    if (d == doc) b.setAttribute("aria-current", "true");
    b.onclick = () => {
      pinned = d == follow ? null : keyOf(d);
      history.reset();
      refresh(true);
    };
    return b;
  });
  $("tabs").replaceChildren(...tabs);
  const nav = $("tabs").getBoundingClientRect(), tab = $("tabs").querySelector("[aria-current]")?.getBoundingClientRect();
  if (tab && (tab.left < nav.left || tab.right > nav.right)) $("tabs").scrollLeft += tab.left - nav.left;
  document.title = $("heading").textContent = doc ? nameOf(doc) + " – fcp-host" : "fcp-host";
}

async function draw(answer, superseded) {
  const before = shown, same = before && keyOf(before) == keyOf(answer), samePage = same && before.page == answer.page;
  if (!same) {
    select("");
    sound.stop();
    song = null;
    position = 0;
  }
  $("empty").hidden = true;
  $("text").hidden = true;
  if (answer.picture) {
    answer.image = await stage.show(answer.picture, answer.title || answer.name, !samePage, superseded);
    if (superseded()) return;
  } else {
    stage.hide();
    if (answer.text) {
      $("text").hidden = false;
      $("text").textContent = answer.text;
    } else {
      $("empty").hidden = false;
      $("empty").textContent = answer.problem;
    }
  }
  shown = answer;
  if (samePage && history.past() === null && before.revision != answer.revision && before.of == before.at) outlineChanges(before, answer);
  if (song && song.revision != answer.revision) sound.stop();
  drawPages();
  drawPlayer();
  history.draw();
  drawSelection();
  $("digest").textContent = "[" + answer.digest + "]";
  if (history.past() === null) drawLastCall(answer.said);
  else drawPastCall(history.pastCall());
}

// The meanings of reply lines, by their prefixes.
const meanings = {"+": "added", "~": "connected", "*": "changed", "-": "removed", "@": "changed", "?": "warning", "!": "error"};

function drawLastCall(said) {
  drawCall("What the last call did", said ? summarize(said) : "", said?.lines || [], said?.failed);
}

// drawPastCall shows the ops of a call whose reply is no longer known, or nothing for null.
function drawPastCall(call) {
  const ops = call ? [...call.ops, history.moreOf(call, call.ops.length)].filter(Boolean) : [];
  drawCall("The call that led to the shown state", call ? history.nameOf(call) : "", ops.map((text) => ({kind: "", text})));
}

function drawCall(label, line, lines, failed) {
  $("said").hidden = !lines.length;
  $("said").setAttribute("aria-label", label);
  $("saidline").textContent = line;
  $("saidline").className = failed ? "bad" : "";
  $("saidtext").replaceChildren(...lines.map((l) => {
    const row = element("li", l.kind == "!" || l.kind == "?" ? "bad" : "");
    row.append(element("small", "", meanings[l.kind] || ""), element("span", "", l.text));
    return row;
  }));
}

// summarize returns a reply in one line: its error, its only result, or the number of results of each kind.
function summarize({lines, count}) {
  const first = (l) => l.text.split("\n")[0], error = lines.find((l) => l.kind == "!");
  if (error) return first(error);
  const parts = [], counts = new Map(), warnings = count["?"] || 0;
  for (const kind in count) if (kind != "?") counts.set(meanings[kind], (counts.get(meanings[kind]) || 0) + count[kind]);
  const done = [...counts.values()].reduce((sum, n) => sum + n, 0);
  if (done == 1) parts.push(first(lines.find((l) => l.kind != "?")));
  else for (const [meaning, n] of counts) parts.push(n + " " + meaning);
  if (warnings == 1 && !done) parts.push(first(lines[0]));
  else if (warnings) parts.push(warnings == 1 ? "1 warning" : warnings + " warnings");
  return parts.join(", ");
}

function outlineChanges(before, after) {
  if (!before.image || !after.image) return;
  let boxes = changedAreas(before, after);
  if (!boxes.length) boxes = differences(before.picture, before.image, after.picture, after.image);
  for (const b of boxes.slice(0, 200)) stage.mark("change", b);
  if (boxes.length) stage.reveal(boundingBox(boxes));
}

function drawPages() {
  const n = shown.pages.length;
  $("pages").hidden = n < 2;
  $("page").replaceChildren(...shown.pages.map((name, i) => new Option(name || "Page " + (i + 1), i + 1, false, i + 1 == shown.page)));
  $("before").disabled = shown.page <= 1;
  $("after").disabled = shown.page >= n;
}

function turnTo(page) {
  if (!shown || page < 1 || page > shown.pages.length) return;
  pageByKey.set(keyOf(shown), page);
  refresh(true);
}

const formatTime = (ms) => Math.floor(ms / 60000) + ":" + String(Math.floor(ms / 1000) % 60).padStart(2, "0");

function drawPlayer() {
  $("player").hidden = !shown.plays;
  $("play").textContent = sound.playing() ? "■" : "▶";
  $("play").setAttribute("aria-label", sound.playing() ? "Stop" : "Play");
  showTime(position);
  if (shown.plays) loadSong().then(() => showTime(position)).catch((e) => showMessage(e.message));
}

// showTime shows a position in the song. While playing, it also turns to the next page at the end of the current one.
function showTime(ms, playing) {
  position = ms;
  $("seek").value = ms;
  $("time").textContent = formatTime(ms) + (song ? " / " + formatTime(song.end) : "");
  const times = shown?.times || [], x = times.length ? xAt(times, ms) : null;
  stage.unmark("line");
  if (x !== null && (ms > 0 || sound.playing())) stage.mark("line", {x, y: shown.picture.y, w: 0, h: shown.picture.height});
  if (playing && times.length && ms > times.at(-1)[0] && shown.page < shown.pages.length && !loading) turnTo(shown.page + 1);
}

// loadSong fetches the notes of the shown document, once for each of its states.
async function loadSong() {
  if (song && song.key == keyOf(shown) && song.revision == shown.revision) return;
  const heard = await wire.call({do: "hear", domain: shown.domain, name: shown.name});
  song = {key: keyOf(shown), revision: heard.revision, notes: heard.notes, levels: heard.levels, end: heard.notes.reduce((most, n) => Math.max(most, n[0] + n[1]), 0)};
  $("seek").max = song.end;
}

async function play(from) {
  if (!shown || !shown.plays) return;
  try {
    await loadSong();
    if (from === undefined) {
      const times = shown.times || [];
      from = position < song.end ? position : 0;
      if (times.length && (from < times[0][0] || from > times.at(-1)[0])) from = times[0][0]; // the start of the visible part
    }
    await sound.play(song, from);
  } catch (e) {
    showMessage(e.message);
  }
  drawPlayer();
}

function seek(ms) {
  if (sound.playing()) play(ms);
  else showTime(ms);
}

// select selects an element, or nothing if name is "", and sends the selections to the host in order. The selection is marked as busy
// until the host has it.
let sending = Promise.resolve();
function select(name) {
  if (selected == name) return;
  selected = name;
  stage.unmark("choice");
  drawSelection();
  if (!shown || wire.shareSelection?.(shown, name)) return;
  const request = {do: "point", domain: shown.domain, name: shown.name, area: name};
  const busy = (now) => selected == name && $("picked").setAttribute("aria-busy", now);
  busy(true);
  sending = sending.then(() => wire.call(request)).catch((e) => showMessage(e.message)).then(() => busy(false));
}

function drawSelection() {
  $("picked").hidden = !selected;
  $("pickedname").textContent = selected;
  stage.unmark("choice");
  const area = shown && selected && shown.areas.find((a) => a.name == selected);
  if (area) stage.mark("choice", area);
}

const areaAt = (p) => shown && shown.areas.findLast((a) => p.x >= a.x && p.y >= a.y && p.x <= a.x + a.w && p.y <= a.y + a.h);
stage.handlers.click = (p) => {
  const area = areaAt(p), times = shown?.times || [];
  select(area?.name || "");
  if (!area && shown?.plays && times.length) seek(timeAt(times, p.x));
};
stage.handlers.step = (by) => { // to the next or previous area that can be selected
  const list = shown?.areas || [], at = list.findIndex((a) => a.name == selected);
  if (!list.length) return;
  const area = list[(at < 0 && by < 0 ? list.length - 1 : at + by + list.length) % list.length];
  select(area.name);
  stage.reveal(area);
};
stage.handlers.hover = (p) => {
  const a = areaAt(p);
  $("stage").classList.toggle("over", !!a);
  stage.unmark("hover");
  if (a && a.name != selected) stage.mark("hover", a);
};
$("play").onclick = () => sound.playing() ? sound.stop() : play();
$("seek").oninput = async (e) => {
  await loadSong().catch((e) => showMessage(e.message));
  seek(Number(e.target.value));
};
$("before").onclick = () => turnTo(shown.page - 1);
$("after").onclick = () => turnTo(shown.page + 1);
$("page").onchange = (e) => turnTo(Number(e.target.value));
$("in").onclick = () => stage.zoom(1.25);
$("out").onclick = () => stage.zoom(0.8);
$("fit").onclick = () => stage.fit();
$("unpick").onclick = () => select("");
$("copy").onclick = () => navigator.clipboard.writeText(selected).catch(() => showMessage("The page may not write to the clipboard here"));
$("panel").onclick = () => showHistory($("history").hidden);
function showHistory(open) {
  $("history").hidden = !open;
  $("panel").setAttribute("aria-expanded", String(open));
}

// usesKey reports whether a focused element uses a key itself: a field all keys, a slider those that move it, a button the space bar, a
// list the arrows that scroll it.
function usesKey(target, key) {
  if (target.closest("input:not([type=range]), select")) return true;
  if (key == " ") return target.closest("button, summary");
  return key.startsWith("arrow") && target.closest("input, #history, #text, #said") || key.startsWith("page") && target.closest("input");
}

document.addEventListener("keydown", (e) => {
  const key = e.key.toLowerCase(), control = e.ctrlKey || e.metaKey;
  if (e.altKey || usesKey(e.target, key)) return;
  if (control && key == "z") (e.shiftKey ? $("redo") : $("undo")).click();
  else if (control && key == "y") $("redo").click();
  else if (control) return;
  else if (key == "pagedown" && shown) turnTo(shown.page + 1);
  else if (key == "pageup" && shown) turnTo(shown.page - 1);
  else if (key == " " && shown?.plays) $("play").click();
  else if (key == "escape") history.past() !== null ? history.showCurrent() : select("");
  else if (!stage.press(key)) return;
  e.preventDefault();
});

function setTheme(name) {
  document.documentElement.dataset.theme = name;
}
const dark = matchMedia("(prefers-color-scheme: dark)");
setTheme(dark.matches ? "dark" : "light");
dark.addEventListener("change", () => setTheme(dark.matches ? "dark" : "light"));
if (innerWidth <= 720) showHistory(false);

wire.on((document) => {
  if (document) {
    appDocument = document;
    pinned = keyOf(document);
    history.reset();
  }
  $("dot").className = "";
  $("dot").title = "Connected to fcp-host";
  refresh();
}, () => {
  $("dot").className = "lost";
  $("dot").title = "fcp-host does not answer";
  showMessage("fcp-host does not answer");
});
