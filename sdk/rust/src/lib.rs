//! The todo domain edits checklists: "- [ ] text" is an open task, "- [x] text" a done one, and every other line of the file
//! is kept as it is.

mod fcp;

use fcp::{quote, Doc, Domain, Element, Error, Op, Query, Reply, Selector, Verb};

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
            list.push(Element { at, end: at + line.len(), name: line[6..].to_string() });
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
    let line = match text.is_empty() || text.ends_with('\n') {
        true => format!("- [ ] {task}{ending}"),
        false => format!("{ending}- [ ] {task}"),
    };
    let end = text.len();
    doc.change(end..end, &line, task, format!("add {}", quote(task)));
    Ok(Reply::new("created", quote(task)))
}

/// Sets the check boxes of tasks.
fn tick(doc: &mut Doc, op: &Op, mark: &str) -> Result<Reply, Error> {
    let mut changed = Vec::new();
    for t in doc.targets(op, 0, false)? {
        if doc.text()[t.at + 3..].starts_with(mark) {
            continue;
        }
        doc.change(t.at + 3..t.at + 4, mark, &t.name, format!("{} {}", op.verb, quote(&t.name)));
        changed.push(t.name);
    }
    Ok(Reply::done("changed", &op.verb, &changed))
}

fn remove(doc: &mut Doc, op: &Op) -> Result<Reply, Error> {
    let list = doc.targets(op, 0, true)?;
    for t in list.iter().rev() {
        // From the end, so that earlier offsets stay valid.
        let text = doc.text();
        let (mut at, mut end) = (t.at, t.end);
        match text[end..].find('\n') {
            Some(i) => end += i + 1,
            None => {
                end = text.len();
                at = text[..at].strip_suffix('\n').map_or(at, |s| s.strip_suffix('\r').unwrap_or(s).len()); // remove the line break before it, too
            }
        }
        doc.change(at..end, "", &t.name, format!("remove {}", quote(&t.name)));
    }
    let names: Vec<String> = list.into_iter().map(|t| t.name).collect();
    Ok(Reply::done("deleted", "remove", &names))
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
        Verb { syntax: "add TEXT", summary: "add an open task", example: "add \"Buy milk\"", run: add },
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
