//! The todo domain edits checklists: "- [ ] text" is an open task, "- [x] text" a done one, and every other line of the file
//! is kept as it is.

mod fcp;

use fcp::{quote, Doc, Domain, Element, Error, Op, Query, Reply, Selector, Splice, Verb};

/// Maximum bytes of a new task: its text is its id, and the host limits ids to 256 bytes.
const MOST: usize = 150;

// ---- parsing the file ----

fn create(title: &str) -> Result<String, Error> {
    if title.len() > MOST || title.chars().any(char::is_control) {
        return Err(Error::new(format!("a title is one line of at most {MOST} bytes")));
    }
    Ok(format!("# {title}\n"))
}

fn check(_: &str) -> Result<(), Error> {
    Ok(())
}

fn tasks(text: &str) -> Vec<Element> {
    let mut list = Vec::new();
    let mut at = 0;
    for whole in text.split_inclusive('\n') {
        let line = whole.strip_suffix('\n').unwrap_or(whole);
        let line = line.strip_suffix('\r').unwrap_or(line);
        if line.len() < 200 && (line.starts_with("- [ ] ") || line.starts_with("- [x] ")) {
            list.push(Element::new(at, at + line.len(), &line[6..]));
        }
        at += whole.len();
    }
    list
}

fn is_done(text: &str, task: &Element, value: &str) -> bool {
    value.is_empty() && text.as_bytes()[task.at + 3] == b'x'
}

fn digest(text: &str) -> String {
    let list = tasks(text);
    let done = list.iter().filter(|t| is_done(text, t, "")).count();
    format!("{} tasks {done} done {} lines", list.len(), text.matches('\n').count() + 1)
}

// ---- verbs ----

fn add(doc: &mut Doc, op: &Op) -> Result<Reply, Error> {
    let task = op.word(0);
    if task.is_empty() || task.len() > MOST || task.chars().any(char::is_control) {
        return Err(Error::new(format!("a task is one line of 1 to {MOST} bytes")));
    }
    let text = doc.text();
    let ending = match text.find('\n') {
        Some(i) if text[..i].ends_with('\r') => "\r\n", // the file's line ending
        _ => "\n",
    };
    let nth = op.param_int("at", 1) as usize; // before this task
    let at = op.param("at").and_then(|_| Some(tasks(text).get(nth - 1)?.at)).unwrap_or(text.len());
    let mark = if op.param("box") == Some("done") { 'x' } else { ' ' };
    let line = match text[..at].is_empty() || text[..at].ends_with('\n') {
        true => format!("- [{mark}] {task}{ending}"),
        false => format!("{ending}- [{mark}] {task}"),
    };
    let id = doc.id_at(task, at);
    doc.change(at..at, &line, &id, "add");
    Ok(Reply::new("created", quote(&id)))
}

/// Sets the check boxes of tasks, in one event.
fn tick(doc: &mut Doc, op: &Op, mark: &str) -> Result<Reply, Error> {
    let (mut splices, mut changed) = (Vec::new(), Vec::new());
    for t in doc.targets(op, 0, false)? {
        if !doc.text()[t.at + 3..].starts_with(mark) {
            splices.push(Splice { at: t.at + 3, old: doc.text()[t.at + 3..t.at + 4].to_string(), new: mark.to_string(), id: t.id.clone() });
            changed.push(t.id);
        }
    }
    doc.change_all(splices, &op.verb);
    Ok(Reply::done("changed", &op.verb, &changed))
}

/// Removes lines with their line breaks; at the end of a file without one, with those before them.
fn remove(doc: &mut Doc, op: &Op) -> Result<Reply, Error> {
    let list = doc.targets(op, 0, true)?;
    let text = doc.text();
    let (mut splices, mut stop) = (Vec::new(), text.len()); // from stop on nothing stays
    for t in list.iter().rev() {
        let (mut at, mut end) = (t.at, t.end);
        if end == stop {
            at = text[..at].strip_suffix('\n').map_or(at, |s| s.strip_suffix('\r').unwrap_or(s).len());
            stop = at;
        } else {
            end += text[end..].find('\n').unwrap() + 1;
        }
        splices.push(Splice { at, old: text[at..end].to_string(), new: String::new(), id: t.id.clone() });
    }
    splices.reverse();
    doc.change_all(splices, "remove");
    let ids: Vec<String> = list.into_iter().map(|t| t.id).collect();
    Ok(Reply::done("deleted", "remove", &ids))
}

// ---- the domain ----

pub static DOMAIN: Domain = Domain {
    name: "todo",
    title: "Checklist",
    version: "0.1.0",
    summary: "checklists in plain text",
    extension: ".todo",
    noun: "task",
    create,
    check,
    elements: tasks,
    digest,
    verbs: &[
        Verb { syntax: "add TEXT [at:1-9999] [box:open|done]", summary: "add a task, at the end or as the n-th", example: "add \"Buy milk\"", run: add },
        Verb { syntax: "done TASK…|@SEL", summary: "mark as done", example: "done @all", run: |doc, op| tick(doc, op, "x") },
        Verb { syntax: "reopen TASK…|@SEL", summary: "mark as open", example: "reopen @done", run: |doc, op| tick(doc, op, " ") },
        Verb { syntax: "remove TASK…|@SEL", summary: "take out", example: "remove @done", run: remove },
    ],
    queries: &[
        Query { syntax: "list", summary: "every line", run: |doc, _| Ok(doc.text().to_string()) },
        Query { syntax: "map", summary: "every line", run: |doc, _| Ok(doc.text().to_string()) },
        Query { syntax: "stats", summary: "how many tasks, how many done", run: |doc, _| Ok(digest(doc.text())) },
    ],
    selectors: &[Selector { name: "done", syntax: "@done", summary: "tasks that are done", matches: is_done }],
};
