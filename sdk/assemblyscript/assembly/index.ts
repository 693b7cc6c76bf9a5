// The todo domain edits checklists: "- [ ] text" is an open task, "- [x] text" a done one, and every other line of the file
// stays as it is.
import { define, Doc, Domain, Element, fail, Op, Query, quote, Reply, Selector, Splice, Verb } from "./fcp";
export { fcp_manifest, fcp_new, fcp_open, fcp_save, fcp_apply, fcp_query, fcp_reverse, fcp_replay, fcp_state } from "./fcp";

const MOST = 150; // maximum bytes of a new task: its text is its id, and the host limits ids to 256 bytes

// ---- parsing the file ----

function oneLine(text: string): bool {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) < 32) return false;
  return String.UTF8.byteLength(text) <= MOST;
}

function create(title: string): string | null {
  if (oneLine(title)) return "# " + title + "\n";
  fail("a title is one line of at most " + MOST.toString() + " bytes");
  return null;
}

function tasks(text: string): Element[] {
  const list: Element[] = [];
  for (let at = 0; at < text.length; ) {
    const stop = text.indexOf("\n", at);
    const next = stop < 0 ? text.length : stop + 1;
    let end = stop < 0 ? text.length : stop;
    if (end > at && text.charCodeAt(end - 1) == 13) end--;
    const line = text.substring(at, end);
    if ((line.startsWith("- [ ] ") || line.startsWith("- [x] ")) && String.UTF8.byteLength(line) < 200) list.push(new Element(at, end, line.substring(6)));
    at = next;
  }
  return list;
}

function isDone(text: string, task: Element, value: string): bool {
  return value == "" && text.charAt(task.at + 3) == "x";
}

function digest(text: string): string {
  const list = tasks(text);
  let done = 0;
  for (let i = 0; i < list.length; i++) if (isDone(text, list[i], "")) done++;
  return list.length.toString() + " tasks " + done.toString() + " done " + text.split("\n").length.toString() + " lines";
}

// ---- verbs ----

function add(doc: Doc, op: Op): Reply | null {
  const task = op.words[0], text = doc.text;
  if (task == "" || !oneLine(task)) {
    fail("a task is one line of 1 to " + MOST.toString() + " bytes");
    return null;
  }
  const first = text.indexOf("\n");
  const ending = first > 0 && text.charCodeAt(first - 1) == 13 ? "\r\n" : "\n"; // the file's line ending
  const all: Element[] = op.param("at") === null ? [] : tasks(text), nth = <i32>op.paramInt("at", 1);
  const at = nth > all.length ? text.length : all[nth - 1].at; // before this task
  const mark = op.param("box") == "done" ? "x" : " ";
  const whole = at == 0 || text.charAt(at - 1) == "\n";
  const line = whole ? "- [" + mark + "] " + task + ending : ending + "- [" + mark + "] " + task;
  const id = doc.idAt(task, at);
  doc.change(at, at, line, id, "add");
  return new Reply("created", quote(id));
}

// tick sets the check boxes of tasks, in one event.
function tick(doc: Doc, op: Op, mark: string): Reply | null {
  const list = doc.targets(op, 0, false);
  if (list === null) return null;
  const splices: Splice[] = [], changed: string[] = [];
  for (let i = 0; i < list.length; i++) {
    const t = list[i], old = doc.text.charAt(t.at + 3);
    if (old == mark) continue;
    splices.push(new Splice(t.at + 3, old, mark, t.id));
    changed.push(t.id);
  }
  doc.changeAll(splices, op.verb);
  return Reply.done("changed", op.verb, changed);
}

// remove removes lines with their line breaks; at the end of a file without one, with those before them.
function remove(doc: Doc, op: Op): Reply | null {
  const list = doc.targets(op, 0, true), text = doc.text;
  if (list === null) return null;
  const splices: Splice[] = [], ids: string[] = [];
  let stop = text.length; // from here on nothing stays
  for (let i = list.length - 1; i >= 0; i--) {
    const t = list[i];
    let at = t.at, end = t.end;
    if (end == stop) stop = at -= at > 1 && text.charCodeAt(at - 2) == 13 ? 2 : min(at, 1);
    else end = text.indexOf("\n", end) + 1;
    splices.push(new Splice(at, text.substring(at, end), "", t.id));
    ids.push(t.id);
  }
  doc.changeAll(splices.reverse(), "remove");
  return Reply.done("deleted", "remove", ids.reverse());
}

// ---- the domain ----

const d = new Domain();
d.name = "todo";
d.title = "Checklist";
d.version = "0.1.0";
d.summary = "checklists in plain text";
d.extension = ".todo";
d.noun = "task";
d.create = create;
d.elements = tasks;
d.digest = digest;
d.verbs = [
  new Verb("add TEXT [at:1-9999] [box:open|done]", "add a task, at the end or as the n-th", 'add "Buy milk"', add),
  new Verb("done TASK…|@SEL", "mark as done", "done @all", (doc: Doc, op: Op): Reply | null => tick(doc, op, "x")),
  new Verb("reopen TASK…|@SEL", "mark as open", "reopen @done", (doc: Doc, op: Op): Reply | null => tick(doc, op, " ")),
  new Verb("remove TASK…|@SEL", "take out", "remove @done", remove),
];
d.queries = [
  new Query("list", "every line", (doc: Doc, op: Op): string | null => doc.text),
  new Query("map", "every line", (doc: Doc, op: Op): string | null => doc.text),
  new Query("stats", "how many tasks, how many done", (doc: Doc, op: Op): string | null => digest(doc.text)),
];
d.selectors = [new Selector("done", "@done", "tasks that are done", isDone)];
define(d);
