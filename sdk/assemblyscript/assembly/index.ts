// The todo domain edits checklists: "- [ ] text" is an open task, "- [x] text" a done one, and every other line of the file
// stays as it is.
import { define, Doc, Domain, Element, fail, Op, Query, quote, Reply, Selector, Verb } from "./fcp";
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
  const whole = text == "" || text.endsWith("\n");
  const line = whole ? "- [ ] " + task + ending : ending + "- [ ] " + task;
  doc.change(text.length, text.length, line, task, "add " + quote(task));
  return new Reply("created", quote(task));
}

// tick sets the check boxes of tasks.
function tick(doc: Doc, op: Op, mark: string): Reply | null {
  const list = doc.targets(op, 0, false);
  if (list === null) return null;
  const changed: string[] = [];
  for (let i = 0; i < list.length; i++) {
    const t = list[i];
    if (doc.text.charAt(t.at + 3) == mark) continue;
    doc.change(t.at + 3, t.at + 4, mark, t.name, op.verb + " " + quote(t.name));
    changed.push(t.name);
  }
  return Reply.done("changed", op.verb, changed);
}

function remove(doc: Doc, op: Op): Reply | null {
  const list = doc.targets(op, 0, true);
  if (list === null) return null;
  const names: string[] = [];
  for (let i = 0; i < list.length; i++) names.push(list[i].name);
  for (let i = list.length - 1; i >= 0; i--) { // from the end, so that earlier offsets stay valid
    const t = list[i], stop = doc.text.indexOf("\n", t.end);
    let at = t.at;
    if (stop < 0 && at > 0) at -= at > 1 && doc.text.charCodeAt(at - 2) == 13 ? 2 : 1; // the last line is removed with the line break before it
    doc.change(at, stop < 0 ? doc.text.length : stop + 1, "", t.name, "remove " + quote(t.name));
  }
  return Reply.done("deleted", "remove", names);
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
  new Verb("add TEXT", "add an open task", 'add "Buy milk"', add),
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
