// The page: what is open, what it looks like, what was done to it, and how to take that back.

const $ = (id) => document.getElementById(id);
const way = document.querySelector("meta[name=fcp-way]").content;
const wire = way == "app" ? appWire() : browserWire();
const stage = makeStage($("stage"), $("sheet"), $("picture"), $("marks"), (scale) => {
  const percent = scale * 100;
  $("fit").textContent = (percent < 1 ? Number(percent.toPrecision(1)) : Math.round(percent)) + " %";
});

let state = {documents: [], follow: -1}; // what is open
let pinned = null; // key of the document that was chosen, null to follow the model
let shown = null; // the answer that is shown, with its image
let pageOf = new Map(); // pages that were turned to, by key
let past = null; // ops of the history that are shown, null for now
let picked = "";
let about = null; // the document of the call that an app stands at in a conversation

let song = null; // what is played, with the key of its document
let position = 0; // where, in milliseconds
const sound = makeSound((ms) => moveTo(ms, true), (ms) => {
  moveTo(ms);
  drawPlayer();
});

const keyOf = (d) => d.domain + "/" + d.name;
const nameOf = (d) => d.handle && d.title || d.name;
const tell = (text) => { $("live").textContent = text; };

function element(tag, className, text) {
  const e = document.createElement(tag);
  if (className) e.className = className;
  if (text !== undefined) e.textContent = text;
  return e;
}

// One load runs at a time; what happens meanwhile is loaded behind it, and what a person chose in its place.
let loads = 0, loading = false, again = false;
async function refresh(chosen) {
  if (loading && !chosen) {
    again = true;
    return;
  }
  const mine = ++loads;
  loading = true;
  do {
    again = false;
    try {
      await load(() => mine != loads);
      if (mine == loads) tell("");
    } catch (e) {
      if (mine == loads) tell(e.message);
    }
  } while (again && mine == loads);
  if (mine == loads) loading = false;
}

async function load(over) {
  const open = await wire.call({do: "state", ...about});
  if (over()) return;
  state = open;
  const follow = state.documents[state.follow];
  const doc = state.documents.find((d) => keyOf(d) == pinned) || follow || state.documents[0];
  if (doc && keyOf(doc) != pinned) pinned = null;
  drawTabs(doc, follow);
  if (!doc) {
    blank("No document is open. What the model opens or makes appears here.");
    return;
  }
  if (doc.waits) { // for the world, or a person: nothing is answered of it meanwhile
    if (!shown || keyOf(shown) != keyOf(doc)) blank("");
    clearTimeout(later);
    later = setTimeout(refresh, 1000);
    throw new Error("A call waits for what it asked for. What it does is shown when it is done.");
  }
  const request = {do: "show", domain: doc.domain, name: doc.name, page: pageOf.get(keyOf(doc)) || 0};
  if (past !== null && shown && keyOf(shown) == keyOf(doc)) {
    request.at = past;
    request.revision = shown.revision;
  }
  let answer;
  try {
    answer = await wire.call(request);
  } catch (e) {
    if (over()) return;
    if (past === null) throw e;
    past = null; // the history moved on
    again = true;
    return;
  }
  if (over()) return;
  if (past === null || request.at === undefined) past = null;
  await draw(answer, over);
}
let later = 0;

// blank shows no document, and why.
function blank(why) {
  shown = null;
  past = null;
  stage.hide();
  pick("");
  sound.stop();
  song = null;
  for (const id of ["text", "pages", "player", "past", "said"]) $(id).hidden = true;
  for (const id of ["undo", "redo", "save"]) $(id).disabled = true;
  $("digest").textContent = "";
  $("empty").hidden = false;
  $("empty").textContent = why;
  drawHistory();
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
      past = null;
      refresh(true);
    };
    return b;
  });
  $("tabs").replaceChildren(...tabs);
  const nav = $("tabs").getBoundingClientRect(), tab = $("tabs").querySelector("[aria-current]")?.getBoundingClientRect();
  if (tab && (tab.left < nav.left || tab.right > nav.right)) $("tabs").scrollLeft += tab.left - nav.left;
  document.title = doc ? nameOf(doc) + " – fcp-host" : "fcp-host";
}

async function draw(answer, over) {
  const before = shown, same = before && keyOf(before) == keyOf(answer), samePage = same && before.page == answer.page;
  if (!same) {
    pick("");
    sound.stop();
    song = null;
    position = 0;
  }
  $("empty").hidden = true;
  $("text").hidden = true;
  if (answer.picture) {
    answer.image = await stage.show(answer.picture, answer.title || answer.name, !samePage, over);
    if (over()) return;
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
  if (samePage && past === null && before.revision != answer.revision && before.of == before.at) outline(before, answer);
  if (song && song.revision != answer.revision) sound.stop();
  drawPages();
  drawPlayer();
  drawHistory();
  drawPast();
  drawPicked();
  $("digest").textContent = "[" + answer.digest + "]";
  $("undo").disabled = answer.at == 0;
  $("redo").disabled = !answer.calls.some((c) => c.gone);
  $("save").disabled = !answer.save || !answer.dirty;
  $("save").title = answer.save ? "Save to its file" : "It has no file yet: the model saves it with a path";
  drawSaid(answer.said);
}

// What lines of answers mean, by their prefixes.
const meanings = {"+": "added", "~": "connected", "*": "changed", "-": "removed", "@": "changed", "?": "warning", "!": "wrong"};

function drawSaid(said) {
  const lines = said?.lines || [];
  $("said").hidden = !lines.length;
  if (!lines.length) return;
  $("saidline").textContent = inShort(lines);
  $("saidline").className = said.failed ? "bad" : "";
  $("saidtext").replaceChildren(...lines.map((l) => {
    const row = element("li", l.kind == "!" || l.kind == "?" ? "bad" : "");
    row.append(element("small", "", meanings[l.kind] || ""), element("span", "", l.text));
    return row;
  }));
}

// inShort is an answer in one line: what is wrong, the one thing that was done, or how many of each.
function inShort(lines) {
  const first = (l) => l.text.split("\n")[0], wrong = lines.find((l) => l.kind == "!");
  if (wrong) return first(wrong);
  const warnings = lines.filter((l) => l.kind == "?"), done = lines.filter((l) => l.kind != "?");
  const parts = [], counts = new Map();
  for (const l of done) counts.set(meanings[l.kind], (counts.get(meanings[l.kind]) || 0) + 1);
  if (done.length == 1) parts.push(first(done[0]));
  else for (const [meaning, n] of counts) parts.push(meaning ? n + " " + meaning : first(done.at(-1)));
  if (warnings.length == 1 && !done.length) parts.push(first(warnings[0]));
  else if (warnings.length) parts.push(warnings.length == 1 ? "1 warning" : warnings.length + " warnings");
  return parts.join(", ");
}

function outline(was, is) {
  if (!was.image || !is.image) return;
  let boxes = changedAreas(was, is);
  if (!boxes.length) boxes = differences(was.picture, was.image, is.picture, is.image);
  for (const b of boxes.slice(0, 200)) stage.mark("change", b);
  if (boxes.length) stage.reveal(around(boxes));
}

function drawPages() {
  const n = shown.pages.length;
  $("pages").hidden = n < 2;
  $("page").replaceChildren(...shown.pages.map((name, i) => new Option(name || "Page " + (i + 1), i + 1, false, i + 1 == shown.page)));
  $("before").disabled = shown.page <= 1;
  $("after").disabled = shown.page >= n;
}

function turn(to) {
  if (!shown || to < 1 || to > shown.pages.length) return;
  pageOf.set(keyOf(shown), to);
  refresh(true);
}

const clock = (ms) => Math.floor(ms / 60000) + ":" + String(Math.floor(ms / 1000) % 60).padStart(2, "0");

function drawPlayer() {
  $("player").hidden = !shown.plays;
  $("play").textContent = sound.playing() ? "■" : "▶";
  $("play").setAttribute("aria-label", sound.playing() ? "Stop" : "Play");
  moveTo(position);
  if (shown.plays) tune().then(() => moveTo(position)).catch((e) => tell(e.message));
}

// moveTo shows a time, and while it plays turns to its page.
function moveTo(ms, playing) {
  position = ms;
  $("seek").value = ms;
  $("time").textContent = clock(ms) + (song ? " / " + clock(song.end) : "");
  const times = shown?.times || [], x = times.length ? xAt(times, ms) : null;
  stage.unmark("line");
  if (x !== null && (ms > 0 || sound.playing())) stage.mark("line", {x, y: shown.picture.y, w: 0, h: shown.picture.height});
  if (playing && times.length && ms > times.at(-1)[0] && shown.page < shown.pages.length && !loading) turn(shown.page + 1);
}

// tune gets the notes of what is shown, once for each state of the document.
async function tune() {
  if (song && song.key == keyOf(shown) && song.revision == shown.revision) return;
  const heard = await wire.call({do: "hear", domain: shown.domain, name: shown.name});
  song = {key: keyOf(shown), revision: heard.revision, notes: heard.notes, levels: heard.levels, end: heard.notes.reduce((most, n) => Math.max(most, n[0] + n[1]), 0)};
  $("seek").max = song.end;
}

async function play(from) {
  if (!shown || !shown.plays) return;
  try {
    await tune();
    if (from === undefined) {
      const times = shown.times || [];
      from = position < song.end ? position : 0;
      if (times.length && (from < times[0][0] || from > times.at(-1)[0])) from = times[0][0]; // what is seen
    }
    await sound.play(song, from);
  } catch (e) {
    tell(e.message);
  }
  drawPlayer();
}

function seek(ms) {
  if (sound.playing()) play(ms);
  else moveTo(ms);
}

function drawHistory() {
  $("mark").hidden = !shown;
  const rows = [];
  if (shown) {
    const flags = (at) => shown.marks.filter((m) => m.at == at).map((m) => {
      const row = element("li", "flag");
      row.append(element("span", "", "⚑ " + m.name));
      if (m.at < shown.at) {
        const b = element("button", "", "Undo to here");
        b.type = "button";
        b.onclick = () => act("undo to:" + quoted(m.name));
        row.append(b);
      }
      return row;
    });
    for (const c of shown.calls.toReversed()) {
      rows.push(...flags(c.at));
      const row = element("li", (c.gone ? "gone" : "") + (c.at == shown.of ? " now" : "")), b = element("button");
      b.type = "button";
      b.append(element("code", "", c.ops[0]));
      if (c.ops.length > 1) b.append(element("small", "", "and " + (c.ops.length - 1) + " more"));
      b.title = c.ops.join("\n");
      if (c.at == shown.of) b.setAttribute("aria-current", "step");
      b.onclick = () => look(c.at);
      row.append(b);
      rows.push(row);
    }
    rows.push(...flags(0));
    const start = element("li", shown.of == 0 ? "now" : ""), b = element("button", "", shown.before ? shown.before + " calls before" : "The beginning");
    b.type = "button";
    b.disabled = shown.before > 0;
    b.onclick = () => look(0);
    start.append(b);
    rows.push(start);
  }
  $("calls").replaceChildren(...rows);
}

function look(at) {
  past = shown && at != shown.at ? at : null;
  refresh(true);
}

function drawPast() {
  $("past").hidden = past === null;
  if (past === null) return;
  const call = shown.calls.find((c) => c.at == past);
  $("pasttext").textContent = call ? "After “" + call.ops.at(-1) + "”" : "As it began";
  $("here").textContent = past < shown.at ? "Undo to here" : "Redo to here";
}

// pick selects what a person clicked, and tells the host one selection after the other. What is selected is busy until the host has it.
let pointing = Promise.resolve();
function pick(name) {
  if (picked == name) return;
  picked = name;
  stage.unmark("choice");
  drawPicked();
  if (!shown || wire.selected?.(shown, name)) return;
  const request = {do: "point", domain: shown.domain, name: shown.name, area: name};
  const busy = (now) => picked == name && $("picked").setAttribute("aria-busy", now);
  busy(true);
  pointing = pointing.then(() => wire.call(request)).catch((e) => tell(e.message)).then(() => busy(false));
}

function drawPicked() {
  $("picked").hidden = !picked;
  $("pickedname").textContent = picked;
  stage.unmark("choice");
  const area = shown && picked && shown.areas.find((a) => a.name == picked);
  if (area) stage.mark("choice", area);
}

const quoted = (s) => '"' + s.replace(/[\\"]/g, "\\$&") + '"';

// act does what a person asked for, behind what they asked for before, and if the document still is as they see it.
let acting = Promise.resolve();
function act(action) {
  acting = acting.then(async () => {
    const what = typeof action == "function" ? shown && action() : action;
    if (!shown || !what) return;
    try {
      const done = await wire.call({do: "act", domain: shown.domain, name: shown.name, revision: shown.revision, action: what});
      if (done.failed) throw new Error(done.text.trim().split("\n")[0].replace(/^! /, ""));
      past = null;
      await refresh(true);
    } catch (e) {
      tell(e.message);
    }
  });
}

const areaAt = (p) => shown && shown.areas.findLast((a) => p.x >= a.x && p.y >= a.y && p.x <= a.x + a.w && p.y <= a.y + a.h);
stage.click.hit = (p) => {
  const area = areaAt(p), times = shown?.times || [];
  pick(area?.name || "");
  if (!area && shown?.plays && times.length) seek(timeAt(times, p.x));
};
stage.click.step = (by) => { // through what can be selected
  const list = shown?.areas || [], at = list.findIndex((a) => a.name == picked);
  if (!list.length) return;
  const area = list[(at < 0 && by < 0 ? list.length - 1 : at + by + list.length) % list.length];
  pick(area.name);
  stage.reveal(area);
};
stage.click.over = (p) => {
  const a = areaAt(p);
  $("stage").classList.toggle("over", !!a);
  stage.unmark("hover");
  if (a && a.name != picked) stage.mark("hover", a);
};
$("undo").onclick = () => act("undo batch");
$("redo").onclick = () => act(() => {
  const next = shown.calls.find((c) => c.gone);
  return next && "redo " + (next.at - shown.at);
});
$("play").onclick = () => sound.playing() ? sound.stop() : play();
$("seek").oninput = async (e) => {
  await tune().catch((e) => tell(e.message));
  seek(Number(e.target.value));
};
$("save").onclick = () => act("save");
$("before").onclick = () => turn(shown.page - 1);
$("after").onclick = () => turn(shown.page + 1);
$("page").onchange = (e) => turn(Number(e.target.value));
$("in").onclick = () => stage.zoom(1.25);
$("out").onclick = () => stage.zoom(0.8);
$("fit").onclick = () => stage.fit();
$("back").onclick = () => look(shown.at);
$("here").onclick = () => act(() => past !== null && (past < shown.at ? "undo " + (shown.at - past) : "redo " + (past - shown.at)));
$("unpick").onclick = () => pick("");
$("copy").onclick = () => navigator.clipboard.writeText(picked).catch(() => tell("The clipboard cannot be written to here"));
$("panel").onclick = () => showHistory($("history").hidden);
function showHistory(open) {
  $("history").hidden = !open;
  $("panel").setAttribute("aria-expanded", String(open));
}
$("mark").onsubmit = (e) => {
  e.preventDefault();
  const name = $("markname").value.trim();
  if (name) act("checkpoint " + quoted(name));
  $("markname").value = "";
};
document.addEventListener("keydown", (e) => {
  if (e.target.closest("input:not([type=range]), select")) return;
  const key = e.key.toLowerCase(), control = e.ctrlKey || e.metaKey;
  if (control && key == "z") (e.shiftKey ? $("redo") : $("undo")).click();
  else if (control && key == "y") $("redo").click();
  else if (e.key == "PageDown" && shown) turn(shown.page + 1);
  else if (e.key == "PageUp" && shown) turn(shown.page - 1);
  else if (e.key == " " && shown?.plays && !e.target.closest("button, summary")) $("play").click();
  else if (e.key == "Escape") past !== null ? look(shown.at) : pick("");
  else return;
  e.preventDefault();
});

function theme(name) {
  document.documentElement.dataset.theme = name;
}
const dark = matchMedia("(prefers-color-scheme: dark)");
theme(dark.matches ? "dark" : "light");
dark.addEventListener("change", () => theme(dark.matches ? "dark" : "light"));
if (innerWidth <= 720) showHistory(false);

wire.on((document) => {
  if (document) {
    about = document;
    pinned = keyOf(document);
    past = null;
  }
  $("dot").className = "";
  $("dot").title = "in touch with fcp-host";
  refresh();
}, () => {
  $("dot").className = "lost";
  $("dot").title = "fcp-host does not answer";
  tell("fcp-host does not answer");
});
