//! The SDK for fcp-host domains in Rust: one file that needs only std.
//!
//! The model is the file's text. Every change is a splice of it (`Doc::change`), and the splice is the event: undo, redo,
//! recovery and the rollback of a failed op follow from that, and what no op names keeps its bytes. A domain is a crate with
//! this module and a static `DOMAIN`.
//!
//! Over 400 lines: an SDK is one file, which a domain copies instead of using a package registry.
#![allow(dead_code)]

use std::cell::RefCell;
use std::collections::HashMap;

/// An element that ops name: the bytes `at..end` of the text, and its name. The SDK sets its id, by which ops and the history
/// name it: its name, or name#2 for the second of several with this name.
pub struct Element {
    pub at: usize,
    pub end: usize,
    pub name: String,
    pub id: String,
}

impl Element {
    pub fn new(at: usize, end: usize, name: &str) -> Element {
        Element { at, end, name: name.to_string(), id: name.to_string() }
    }
}

/// A domain. The syntax of verbs, queries and selectors describes them; from it the SDK derives what the host checks. Words
/// after the name are positionals, `key:VALUE` is a parameter, `[ ]` encloses optional parts, `…` follows a word that may be
/// repeated, and `SEL` or `@SEL`, also as in `TASK|@SEL`, means that selectors may replace names. VALUE says what the SDK accepts
/// before `run` is called: `1-9` a whole number, `0.5-2` or `N` a number, `X,Y` a point, `WxH` a size, `open|done` one of these;
/// anything else is a text.
pub struct Domain {
    pub name: &'static str,
    pub title: &'static str,
    pub version: &'static str,
    pub summary: &'static str,
    /// Including the dot.
    pub extension: &'static str,
    /// The word for an element in error messages.
    pub noun: &'static str,
    /// The text of a new document.
    pub create: fn(title: &str) -> Result<String, Error>,
    /// Refuses a text that is not such a file. The SDK has already refused invalid UTF-8.
    pub check: fn(text: &str) -> Result<(), Error>,
    /// The elements, in document order.
    pub elements: fn(text: &str) -> Vec<Element>,
    /// One short line about the document.
    pub digest: fn(text: &str) -> String,
    pub verbs: &'static [Verb],
    pub queries: &'static [Query],
    /// In addition to @all, @recent and @not:…
    pub selectors: &'static [Selector],
}

pub struct Verb {
    pub syntax: &'static str,
    pub summary: &'static str,
    pub example: &'static str,
    /// Runs the op and replies. After an error the document is unchanged.
    pub run: fn(doc: &mut Doc, op: &Op) -> Result<Reply, Error>,
}

pub struct Query {
    pub syntax: &'static str,
    pub summary: &'static str,
    pub run: fn(doc: &Doc, op: &Op) -> Result<String, Error>,
}

pub struct Selector {
    pub name: &'static str,
    pub syntax: &'static str,
    pub summary: &'static str,
    pub matches: fn(text: &str, element: &Element, value: &str) -> bool,
}

/// Why an op or query is refused, and suggestions that would work: ops, or for a refused query queries.
#[derive(Default)]
pub struct Error {
    message: String,
    tries: Vec<(&'static str, String)>,
}

impl Error {
    pub fn new(message: impl Into<String>) -> Error {
        Error { message: visible(&message.into()), tries: Vec::new() }
    }

    pub fn suggest(mut self, op: impl Into<String>) -> Error {
        self.tries.push(("", op.into()));
        self
    }

    pub fn suggest_query(mut self, query: impl Into<String>) -> Error {
        self.tries.push(("query", query.into()));
        self
    }
}

/// The result of an op: created, connection, changed, deleted, bulk or unchanged, and a sentence.
pub struct Reply {
    kind: &'static str,
    text: String,
}

impl Reply {
    pub fn new(kind: &'static str, text: impl Into<String>) -> Reply {
        Reply { kind, text: text.into() }
    }

    /// The reply of an op that had nothing to change.
    pub fn unchanged(text: impl Into<String>) -> Reply {
        Reply::new("unchanged", text)
    }

    /// The reply of a verb that may have changed any number of elements.
    pub fn done(kind: &'static str, did: &str, ids: &[String]) -> Reply {
        match ids {
            [] => Reply::unchanged(format!("{did}: nothing to change")),
            [id] => Reply::new(kind, format!("{did} {}", quote(id))),
            _ => {
                let list: Vec<String> = ids.iter().take(8).map(|n| quote(n)).collect();
                let more = if ids.len() > 8 { ", …" } else { "" };
                Reply::new("bulk", format!("{did} {} {}s: {}{more}", ids.len(), crate::DOMAIN.noun, list.join(", ")))
            }
        }
    }
}

/// Escapes control characters as \u001b: selectors and files may contain them.
fn visible(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out
}

/// Prints a text as one word of an op that parses to the same text.
pub fn quote(text: &str) -> String {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii();
    if !text.is_empty() && text.chars().enumerate().all(|(i, c)| word(c) || i > 0 && "-.#".contains(c)) {
        return text.to_string();
    }
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out + "\""
}

/// Writes a line to the host's log, which `fcp-host exec` prints.
pub fn log(text: &str) {
    unsafe { host_log_info(to_host(text)) }
}

// ---- the document ----

/// A change of the text: `new` for the text `old` at `at`. `id` is the id of the element that it touches.
pub struct Splice {
    pub at: usize,
    pub old: String,
    pub new: String,
    pub id: String,
}

struct Event {
    splices: Vec<Splice>,
    summary: String,
}

/// The document while a verb runs.
#[derive(Default)]
pub struct Doc {
    text: String,
    events: Vec<Event>,
    recent: Vec<String>, // touched, oldest first
}

impl Doc {
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Makes splices as one event. Their places are those in the text before all of them, in order, and do not overlap. The
    /// history says what it `did`, and to which element or how many.
    pub fn change_all(&mut self, list: Vec<Splice>, did: &str) {
        let summary = match &list[..] {
            [] => return,
            [one] => format!("{did} {}", quote(&one.id)),
            _ => format!("{did} {} {}s", list.len(), crate::DOMAIN.noun),
        };
        assert!(self.splice(&list, false), "splices overlap, or do not fit the text");
        self.events.push(Event { splices: list, summary });
    }

    /// Makes one splice.
    pub fn change(&mut self, range: std::ops::Range<usize>, new: &str, id: &str, did: &str) {
        let (old, new) = (self.text[range.clone()].to_string(), new.to_string());
        self.change_all(vec![Splice { at: range.start, old, new, id: id.to_string() }], did);
    }

    /// Makes or reverses the splices of an event. If they do not fit the text, it returns false and changes nothing.
    fn splice(&mut self, list: &[Splice], reverse: bool) -> bool {
        let mut next = String::new();
        let mut at = 0; // how far the text is copied
        for s in list {
            let (old, new) = if reverse { (&s.new, &s.old) } else { (&s.old, &s.new) };
            let from = if reverse { (s.at + at).wrapping_sub(next.len()) } else { s.at };
            let end = from.wrapping_add(old.len());
            if from < at || self.text.get(from..end) != Some(old) {
                return false;
            }
            if list.len() == 1 {
                self.text.replace_range(from..end, new);
                return true;
            }
            next.push_str(&self.text[at..from]);
            next.push_str(new);
            at = end;
        }
        next.push_str(&self.text[at..]);
        self.text = next;
        true
    }

    fn undo(&mut self) {
        while let Some(e) = self.events.pop() {
            self.splice(&e.splices, true);
        }
    }

    /// The id that a new element with this name gets if it is inserted at a place of the text.
    pub fn id_at(&self, name: &str, at: usize) -> String {
        let mut before = 0;
        let twins = match self.text.contains(name) {
            true => (crate::DOMAIN.elements)(&self.text).into_iter().filter(|e| e.name == name).inspect(|e| before += (e.at < at) as usize).count(),
            false => 0, // as for most names
        };
        if twins == 0 { name.to_string() } else { format!("{name}#{}", before + 1) }
    }

    /// The elements that an op is about, in document order: what its selectors match, or what its words name, except the last
    /// `values` of them. A destructive verb requires `exact` names: no prefixes.
    pub fn targets(&self, op: &Op, values: usize, exact: bool) -> Result<Vec<Element>, Error> {
        let (all, places) = every(&self.text);
        if op.words.len() < values {
            return Err(Error::new(format!("{} needs {values} word{} behind what it is about", op.verb, if values == 1 { "" } else { "s" })));
        }
        let names = &op.words[..op.words.len() - values];
        if !op.selectors.is_empty() && !names.is_empty() {
            return Err(Error::new(format!("{} takes names or selectors, not both", op.verb)));
        }
        let mut marks = vec![!op.selectors.is_empty(); all.len()];
        for i in 0..names.len() {
            marks[find(op, i, exact, &all, &places)?] = true;
        }
        for s in &op.selectors {
            let one = self.matching(s, &all, &places)?;
            for (mark, hit) in marks.iter_mut().zip(one) {
                *mark &= hit != s.negated;
            }
        }
        let list: Vec<Element> = all.into_iter().zip(marks).filter(|(_, mark)| *mark).map(|(e, _)| e).collect();
        if list.is_empty() {
            let raw: Vec<&str> = op.selectors.iter().map(|s| s.raw.as_str()).collect();
            return Err(Error::new(format!("nothing matches {}", raw.join(" "))));
        }
        Ok(list)
    }

    fn matching(&self, s: &Select, all: &[Element], places: &HashMap<String, usize>) -> Result<Vec<bool>, Error> {
        match s.name.as_str() {
            "all" if s.value.is_empty() => Ok(vec![true; all.len()]),
            "all" => Err(Error::new("@all takes no value")),
            "recent" => {
                let mut left = match s.value.as_str() {
                    "" => 1,
                    v => v.parse::<usize>().ok().filter(|n| *n > 0).ok_or_else(|| Error::new(format!("{}: N is a whole number from 1", s.raw)))?,
                };
                let mut one = vec![false; all.len()];
                for id in self.recent.iter().rev() {
                    if left == 0 {
                        break;
                    }
                    if let Some(k) = places.get(id) {
                        left -= !one[*k] as usize;
                        one[*k] = true;
                    }
                }
                Ok(one)
            }
            name => match crate::DOMAIN.selectors.iter().find(|d| d.name == name) {
                Some(d) => Ok(all.iter().map(|e| (d.matches)(&self.text, e, &s.value)).collect()),
                None => Err(Error::new(format!("unknown selector @{name}"))),
            },
        }
    }
}

/// The elements with their ids; and their indexes by name, of the first with it, and by id.
fn every(text: &str) -> (Vec<Element>, HashMap<String, usize>) {
    let mut all = (crate::DOMAIN.elements)(text);
    let mut places = HashMap::new();
    let first: Vec<usize> = all.iter().enumerate().map(|(i, e)| *places.entry(e.name.clone()).or_insert(i)).collect();
    let mut twins = vec![0; all.len()]; // of the first with a name: how many have it, and later how many have their number
    first.iter().for_each(|f| twins[*f] += 1);
    for (i, e) in all.iter_mut().enumerate() {
        let f = first[i];
        if f == i && twins[i] == 1 {
            continue;
        }
        if f == i {
            twins[i] = 0;
        }
        while places.get(&e.id).map_or(false, |k| *k != i || e.id == e.name) {
            twins[f] += 1;
            e.id = format!("{}#{}", e.name, twins[f]);
        }
        places.insert(e.id.clone(), i);
    }
    (all, places)
}

/// Finds the element that word i of an op names.
fn find(op: &Op, i: usize, exact: bool, all: &[Element], places: &HashMap<String, usize>) -> Result<usize, Error> {
    let noun = crate::DOMAIN.noun;
    let name = &op.words[i];
    if let Some(k) = places.get(name).filter(|k| all[**k].id == *name && !name.is_empty()) {
        return Ok(*k);
    }
    let (folded, short) = (name.to_lowercase(), bare(name));
    for level in 0..4 {
        let called = |own: &str| match level {
            0 => own == name,
            1 => own.to_lowercase() == folded,
            2 => !short.is_empty() && bare(own) == short,
            _ => !short.is_empty() && bare(own).starts_with(&short),
        };
        let hits: Vec<&Element> = all.iter().filter(|e| !name.is_empty() && (called(&e.name) || e.id != e.name && called(&e.id))).collect();
        let full = exact && level == 3;
        match hits.len() {
            0 => continue,
            1 if !full => return Ok(places[&hits[0].id]),
            _ => {}
        }
        let list: Vec<String> = hits.iter().take(8).map(|e| quote(&e.id)).collect();
        let why = if full { "not found; give the full name" } else { "is ambiguous" };
        let mut err = Error::new(format!("{noun} \"{name}\" {why}: {}{}", list.join(", "), if hits.len() > 8 { ", …" } else { "" }));
        for e in hits.iter().take(3) {
            err = err.suggest(op.with(i, &e.id));
        }
        return Err(err);
    }
    let err = Error::new(format!("{noun} \"{name}\" not found"));
    Err(if all.is_empty() { err } else { err.suggest_query("map") })
}

/// A name without what does not tell names apart.
fn bare(name: &str) -> String {
    name.to_lowercase().replace(&['-', '_', ' '][..], "")
}

// ---- values: what a syntax line shows for a key is the type of its values ----

/// Cuts a decimal number off the start of a text: its value, as it is written, and the rest.
fn take_number(text: &str) -> Option<(f64, &str, &str)> {
    let sign = text.starts_with(&['-', '+'][..]) as usize;
    let (mut v, mut unit, mut digits, mut point) = (0.0, 1.0, 0, false);
    let end = text[sign..].find(|c: char| {
        let digit = c.to_digit(10);
        if let Some(d) = digit {
            digits += 1;
            v = v * 10.0 + d as f64;
            unit *= if point { 10.0 } else { 1.0 };
        }
        digit.is_none() && (c != '.' || std::mem::replace(&mut point, true))
    });
    let (written, rest) = text.split_at(end.map_or(text.len(), |n| sign + n));
    let signed = if written.starts_with('-') { -v } else { v };
    Some((signed / unit, written, rest)).filter(|_| 0 < digits && digits < 30)
}

/// Two numbers, each with how it is written, and what is between them.
fn take_pair(text: &str) -> Option<((f64, &str), &str, (f64, &str))> {
    let (a, first, rest) = take_number(text)?;
    let (gap, rest) = rest.split_at(rest.find(|c: char| c.is_ascii_digit() || "+-.".contains(c))?);
    match take_number(rest)? {
        (b, second, "") if !gap.is_empty() => Some(((a, first), gap, (b, second))),
        _ => None,
    }
}

/// Checks a value against one form of a syntax line, and gives a word the spelling of that line. The error says what the form
/// takes, and the nearest value.
fn accept(form: &str, value: &str) -> Result<String, (String, Option<String>)> {
    let fine = Ok(value.to_string());
    let refuse = |why: &str, near: Option<&str>| Err((why.to_string(), near.map(str::to_string)));
    if form == "X,Y" || form == "WxH" {
        let point = form == "X,Y";
        let why = if point { "is not a point X,Y, such as 200,120" } else { "is not a size WxH, such as 140x60" };
        let sep = if point { "," } else { "x" };
        return match take_pair(value) {
            Some((a, gap, b)) if point || a.0 >= 0.0 && b.0 >= 0.0 => match gap.eq_ignore_ascii_case(sep) {
                true => fine,
                false => refuse(why, Some(&[a.1, sep, b.1].concat())),
            },
            _ => refuse(why, None),
        };
    }
    let number = take_number(value).filter(|n| n.2.is_empty());
    if form == "N" {
        return if number.is_some() { fine } else { refuse("is not a number", None) };
    }
    let range = take_number(form).and_then(|lo| Some((lo, take_number(lo.2.strip_prefix('-')?)?)));
    if let Some(((lo, low, _), (hi, high, ""))) = range {
        let whole = !low.contains('.') && !high.contains('.');
        let why = format!("is not a {} from {low} to {high}", if whole { "whole number" } else { "number" });
        return match number.filter(|n| !(whole && n.1.contains('.'))) {
            None => refuse(&why, None),
            Some((n, ..)) if n < lo => refuse(&why, Some(low)),
            Some((n, ..)) if n > hi => refuse(&why, Some(high)),
            _ => fine,
        };
    }
    if !form.starts_with(|c: char| c.is_ascii_lowercase()) {
        return fine;
    }
    match bare(value) == bare(form) {
        true => Ok(form.to_string()),
        false => refuse(&format!("is not one of {form}"), bare(value).get(..1).filter(|c| form.starts_with(c)).map(|_| form)), // it begins alike
    }
}

/// Refuses an op with a value that is not of its key's type.
fn check_params(op: &mut Op, syntax: &str) -> Result<(), Error> {
    let declared = Syntax::read(syntax).params;
    for i in 0..op.params.len() {
        let (key, value) = op.params[i].clone();
        let takes = declared.iter().find(|p| p.0 == key).map_or("", |p| &p.1);
        let (mut why, mut nearest) = (String::new(), None);
        let fits = takes.split('|').filter(|f| !f.is_empty()).find_map(|form| accept(form, &value).map_err(|(w, near)| (why, nearest) = (w, near.or(nearest.take()))).ok());
        if takes.contains('|') {
            why = format!("is not one of {}", takes.replace('|', " "));
        }
        match (fits, nearest) {
            (Some(fits), _) => op.params[i].1 = fits,
            _ if takes.is_empty() => {}
            (_, None) => return Err(Error::new(format!("{key}:{value} {why}"))),
            (_, Some(near)) => {
                op.params[i].1 = near;
                return Err(Error::new(format!("{key}:{value} {why}")).suggest(op.print()));
            }
        }
    }
    Ok(())
}

// ---- ops ----

/// An op or a query.
#[derive(Clone)]
pub struct Op {
    pub verb: String,
    pub words: Vec<String>,
    params: Vec<(String, String)>,
    selectors: Vec<Select>,
}

#[derive(Clone)]
struct Select {
    raw: String,
    name: String,
    value: String,
    negated: bool,
}

impl Op {
    fn read(v: &Value) -> Op {
        Op {
            verb: v.text("verb"),
            words: v.list("positionals").iter().map(|p| p.text("text")).collect(),
            params: v.list("params").iter().map(|p| (p.text("key"), p.text("value"))).collect(),
            selectors: v
                .list("selectors")
                .iter()
                .map(|s| Select { raw: s.text("raw"), name: s.text("type"), value: s.text("value"), negated: s.int("negated") != 0 })
                .collect(),
        }
    }

    /// Positional i, from 0, or "".
    pub fn word(&self, i: usize) -> &str {
        self.words.get(i).map_or("", |w| w)
    }

    /// The value of a key.
    pub fn param(&self, key: &str) -> Option<&str> {
        self.params.iter().find(|p| p.0 == key).map(|p| p.1.as_str())
    }

    /// The value of a key whose type is a number, or `otherwise` if the op does not have it.
    pub fn param_number(&self, key: &str, otherwise: f64) -> f64 {
        self.param(key).and_then(take_number).map_or(otherwise, |n| n.0)
    }

    pub fn param_int(&self, key: &str, otherwise: i64) -> i64 {
        self.param_number(key, otherwise as f64) as i64
    }

    /// The value of a key whose type is X,Y or WxH.
    pub fn param_pair(&self, key: &str) -> Option<(f64, f64)> {
        self.param(key).and_then(take_pair).map(|(a, _, b)| (a.0, b.0))
    }

    /// Prints the op with word i replaced.
    pub fn with(&self, i: usize, text: &str) -> String {
        let mut op = self.clone();
        op.words[i] = text.to_string();
        op.print()
    }

    fn print(&self) -> String {
        let mut line = self.verb.clone();
        for w in &self.words {
            line += &format!(" {}", quote(w));
        }
        for (k, v) in &self.params {
            line += &format!(" {k}:{}", quote(v));
        }
        for s in &self.selectors {
            line += &format!(" {}", s.raw);
        }
        line
    }
}

// ---- MessagePack ----

/// A decoded value. The host never sends a malformed message, so decoding one panics.
enum Value<'a> {
    Nil,
    Int(i64),
    Bytes(&'a [u8]),
    List(Vec<Value<'a>>),
    Map(Vec<(Value<'a>, Value<'a>)>),
}

static NIL: Value = Value::Nil;

impl<'a> Value<'a> {
    fn read(r: &mut &'a [u8]) -> Value<'a> {
        fn take<'a>(r: &mut &'a [u8], n: usize) -> &'a [u8] {
            let (head, rest) = r.split_at(n);
            *r = rest;
            head
        }
        fn number(r: &mut &[u8], n: usize) -> u64 {
            take(r, n).iter().fold(0, |v, b| v << 8 | *b as u64)
        }
        fn list<'a>(r: &mut &'a [u8], n: usize) -> Value<'a> {
            Value::List((0..n).map(|_| Value::read(r)).collect())
        }
        fn map<'a>(r: &mut &'a [u8], n: usize) -> Value<'a> {
            Value::Map((0..n).map(|_| (Value::read(r), Value::read(r))).collect())
        }
        let b = number(r, 1) as u8;
        match b {
            0..=0x7f => Value::Int(b as i64),
            0x80..=0x8f => map(r, (b & 15) as usize),
            0x90..=0x9f => list(r, (b & 15) as usize),
            0xa0..=0xbf => Value::Bytes(take(r, (b & 31) as usize)),
            0xc2 | 0xc3 => Value::Int((b & 1) as i64),
            0xc4..=0xc6 | 0xd9..=0xdb => {
                let n = number(r, 1 << (b - if b < 0xd0 { 0xc4 } else { 0xd9 })) as usize;
                Value::Bytes(take(r, n))
            }
            0xcc..=0xcf => Value::Int(number(r, 1 << (b - 0xcc)) as i64),
            0xd0..=0xd3 => {
                let n = 1 << (b - 0xd0);
                let shift = 64 - 8 * n;
                Value::Int((number(r, n as usize) << shift) as i64 >> shift)
            }
            0xdc | 0xdd => {
                let n = number(r, 2 << (b - 0xdc)) as usize;
                list(r, n)
            }
            0xde | 0xdf => {
                let n = number(r, 2 << (b - 0xde)) as usize;
                map(r, n)
            }
            0xe0..=0xff => Value::Int(b as i8 as i64),
            _ => Value::Nil, // the protocol has no floats and extensions
        }
    }

    fn field(&self, key: &str) -> &Value<'a> {
        match self {
            Value::Map(list) => list.iter().rev().find(|(k, _)| matches!(k, Value::Bytes(b) if *b == key.as_bytes())).map_or(&NIL, |(_, v)| v),
            _ => &NIL,
        }
    }

    fn bytes(&self, key: &str) -> &'a [u8] {
        match self.field(key) {
            Value::Bytes(b) => b,
            _ => &[],
        }
    }

    fn text(&self, key: &str) -> String {
        String::from_utf8_lossy(self.bytes(key)).into_owned()
    }

    fn int(&self, key: &str) -> i64 {
        match self.field(key) {
            Value::Int(n) => *n,
            _ => 0,
        }
    }

    fn list(&self, key: &str) -> &[Value<'a>] {
        match self.field(key) {
            Value::List(list) => list,
            _ => &[],
        }
    }
}

/// Encodes a message.
#[derive(Default)]
struct Out(Vec<u8>);

impl Out {
    fn sized(&mut self, kind: u8, n: usize) -> &mut Out {
        self.0.push(kind);
        self.0.extend((n as u32).to_be_bytes());
        self
    }

    fn map(&mut self, n: usize) -> &mut Out {
        self.sized(0xdf, n)
    }

    fn list(&mut self, n: usize) -> &mut Out {
        self.sized(0xdd, n)
    }

    fn text(&mut self, s: &str) -> &mut Out {
        self.sized(0xdb, s.len()).0.extend(s.as_bytes());
        self
    }

    fn bytes(&mut self, b: &[u8]) -> &mut Out {
        self.sized(0xc6, b.len()).0.extend(b);
        self
    }

    fn int(&mut self, v: i64) -> &mut Out {
        self.0.push(0xd3);
        self.0.extend(v.to_be_bytes());
        self
    }

    fn pair(&mut self, key: &str, value: &str) -> &mut Out {
        self.text(key).text(value)
    }

    fn state(&mut self, doc: &Doc) -> &mut Out {
        self.text("state").map(1).pair("digest", &(crate::DOMAIN.digest)(&doc.text))
    }
}

// ---- the manifest ----

/// A parsed syntax line.
#[derive(Default)]
struct Syntax {
    params: Vec<(String, String)>,
    select: bool,
    min: i64,
    max: i64,
}

fn name_of(syntax: &str) -> &str {
    syntax.split(' ').next().unwrap_or("")
}

impl Syntax {
    fn read(line: &str) -> Syntax {
        let mut s = Syntax::default();
        let mut optional = 0;
        for word in line.replace('[', " [ ").replace(']', " ] ").split_whitespace().skip(1) {
            let key = word.split(':').next().unwrap_or("");
            match word {
                "[" => optional += 1,
                "]" => optional -= 1,
                "|" => {}
                _ if key.len() < word.len() && !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_') => {
                    s.params.push((key.to_string(), word[key.len() + 1..].to_string()))
                }
                _ => {
                    let selects = |a: &str| a.starts_with('@') || a == "SEL" || a == "SEL…";
                    s.select |= word.split('|').any(selects);
                    if word.split('|').all(selects) {
                        continue;
                    }
                    s.min += (optional == 0) as i64;
                    s.max += (s.max >= 0) as i64;
                    if word.contains('…') || word.contains("...") {
                        s.max = -1;
                    }
                }
            }
        }
        s
    }

    fn write(&self, out: &mut Out) {
        out.text("min").int(self.min).text("max").int(self.max);
        out.text("select").0.push(0xc2 | self.select as u8);
        out.text("params").list(self.params.len());
        for (key, value) in &self.params {
            out.map(2).pair("key", key).pair("value", value);
        }
    }
}

fn manifest(_: &Value, out: &mut Out) -> Result<(), Error> {
    let d = &crate::DOMAIN;
    out.map(9).text("abi").int(1).pair("domain", d.name).pair("title", d.title).pair("version", d.version).pair("summary", d.summary);
    out.text("extensions").list(1).text(d.extension);
    out.text("verbs").list(d.verbs.len());
    for v in d.verbs {
        out.map(8).pair("name", name_of(v.syntax)).pair("syntax", v.syntax).pair("summary", v.summary);
        out.text("examples").list(1).text(v.example);
        Syntax::read(v.syntax).write(out);
    }
    out.text("queries").list(d.queries.len());
    for q in d.queries {
        out.map(4).pair("name", name_of(q.syntax)).pair("syntax", q.syntax).pair("summary", q.summary);
        out.text("takes").map(4);
        Syntax::read(q.syntax).write(out);
    }
    out.text("selectors").list(d.selectors.len());
    for s in d.selectors {
        out.map(3).pair("type", s.name).pair("syntax", s.syntax).pair("summary", s.summary);
    }
    Ok(())
}

// ---- exports ----

thread_local! {
    static OPENED: RefCell<Option<Doc>> = RefCell::new(None);
}

fn with_doc(f: impl FnOnce(&mut Doc) -> Result<(), Error>) -> Result<(), Error> {
    OPENED.with(|o| match &mut *o.borrow_mut() {
        Some(doc) => f(doc),
        None => Err(Error::new("no document is open")),
    })
}

fn start(text: Result<String, Error>, out: &mut Out) -> Result<(), Error> {
    OPENED.with(|o| *o.borrow_mut() = None);
    let doc = Doc { text: text?, ..Doc::default() };
    out.map(1).state(&doc);
    OPENED.with(|o| *o.borrow_mut() = Some(doc));
    Ok(())
}

fn create(request: &Value, out: &mut Out) -> Result<(), Error> {
    start((crate::DOMAIN.create)(&request.text("title")), out)
}

fn open(request: &Value, out: &mut Out) -> Result<(), Error> {
    let text = match std::str::from_utf8(request.bytes("data")) {
        Ok(text) => (crate::DOMAIN.check)(text).map(|_| text.to_string()),
        Err(_) => Err(Error::new("the file is not UTF-8 text")),
    };
    start(text, out)
}

fn save(_: &Value, out: &mut Out) -> Result<(), Error> {
    with_doc(|doc| {
        out.map(1).text("data").bytes(doc.text.as_bytes());
        Ok(())
    })
}

fn state(_: &Value, out: &mut Out) -> Result<(), Error> {
    with_doc(|doc| {
        out.map(1).state(doc);
        Ok(())
    })
}

fn run(doc: &mut Doc, op: &mut Op) -> Result<Reply, Error> {
    let verb = crate::DOMAIN.verbs.iter().find(|v| name_of(v.syntax) == op.verb);
    let verb = verb.ok_or_else(|| Error::new(format!("{} is no verb of {}", quote(&op.verb), crate::DOMAIN.name)))?;
    doc.events.clear();
    let done = check_params(op, verb.syntax).and_then(|_| (verb.run)(doc, op));
    match &done {
        Ok(r) if r.kind != "unchanged" && !doc.events.is_empty() => {}
        Ok(r) if r.kind != "unchanged" => return Err(Error::new(format!("{} changed nothing", op.verb))),
        _ => doc.undo(),
    }
    done
}

fn apply(request: &Value, out: &mut Out) -> Result<(), Error> {
    with_doc(|doc| {
        doc.recent = request.field("recent").texts();
        doc.recent.reverse();
        let mut results = Vec::new();
        for v in request.list("ops") {
            let mut o = Out::default();
            let result = run(doc, &mut Op::read(v));
            let failed = result.is_err();
            match result {
                Ok(reply) => {
                    o.map(3).pair("kind", reply.kind).pair("text", &reply.text).text("events").list(doc.events.len());
                    for e in doc.events.drain(..) {
                        o.map(4).pair("type", "splice").pair("summary", &e.summary).text("ids").list(e.splices.iter().filter(|c| !c.id.is_empty()).count());
                        let mut data = Out::default();
                        data.list(3 * e.splices.len());
                        for c in e.splices {
                            data.int(c.at as i64).text(&c.old).text(&c.new);
                            if !c.id.is_empty() {
                                o.text(&c.id);
                                doc.recent.push(c.id);
                            }
                        }
                        o.text("data").bytes(&data.0);
                    }
                }
                Err(e) => {
                    o.map(1).text("error").map(2).pair("message", &e.message).text("try").list(e.tries.len());
                    for (kind, text) in &e.tries {
                        o.map(2).pair("kind", if kind.is_empty() { "op" } else { kind }).pair("text", text);
                    }
                }
            }
            results.push(o.0);
            if failed && request.int("each") == 0 {
                break;
            }
        }
        out.map(2).text("results").list(results.len());
        results.iter().for_each(|r| out.0.extend(r));
        out.state(doc);
        Ok(())
    })
}

impl<'a> Value<'a> {
    fn texts(&self) -> Vec<String> {
        match self {
            Value::List(list) => list
                .iter()
                .map(|v| match v {
                    Value::Bytes(b) => String::from_utf8_lossy(b).into_owned(),
                    _ => String::new(),
                })
                .collect(),
            _ => Vec::new(),
        }
    }
}

fn again(request: &Value, out: &mut Out, reverse: bool) -> Result<(), Error> {
    with_doc(|doc| {
        for event in request.list("events") {
            let mut splices = Vec::new();
            if let Value::List(list) = Value::read(&mut event.bytes("data")) {
                for c in list.chunks(3) {
                    if let [Value::Int(at), Value::Bytes(old), Value::Bytes(new)] = c {
                        let [old, new] = [old, new].map(|b| String::from_utf8_lossy(b).into_owned());
                        splices.push(Splice { at: *at as usize, old, new, id: String::new() });
                    }
                }
            }
            if splices.is_empty() || !doc.splice(&splices, reverse) {
                return Err(Error::new("an event does not fit the document"));
            }
        }
        out.map(1).state(doc);
        Ok(())
    })
}

fn query(request: &Value, out: &mut Out) -> Result<(), Error> {
    let mut op = Op::read(request.field("query"));
    with_doc(|doc| {
        let q = crate::DOMAIN.queries.iter().find(|q| name_of(q.syntax) == op.verb);
        let q = q.ok_or_else(|| Error::new(format!("{} is no query of {}", quote(&op.verb), crate::DOMAIN.name)))?;
        check_params(&mut op, q.syntax)?;
        out.map(1).pair("text", &(q.run)(doc, &op)?);
        Ok(())
    })
}

// ---- the host ----

#[link(wasm_import_module = "extism:host/env")]
extern "C" {
    #[link_name = "input_length"]
    fn host_input_length() -> u64;
    #[link_name = "alloc"]
    fn host_alloc(length: u64) -> u64;
    #[link_name = "store_u8"]
    fn host_store_u8(offset: u64, value: u32);
    #[link_name = "store_u64"]
    fn host_store_u64(offset: u64, value: u64);
    #[link_name = "error_set"]
    fn host_error_set(handle: u64);
    #[link_name = "log_info"]
    fn host_log_info(handle: u64);
    #[link_name = "log_error"]
    fn host_log_error(handle: u64);
}

#[link(wasm_import_module = "fcp:host/env")]
extern "C" {
    #[link_name = "input_read"]
    fn host_input_read(to: *mut u8, length: u32, offset: u32) -> u32;
    #[link_name = "output_write"]
    fn host_output_write(from: *const u8, length: u32);
}

/// Copies a text into a block of host memory.
fn to_host(text: &str) -> u64 {
    let b = text.as_bytes();
    unsafe {
        let block = host_alloc(b.len() as u64);
        let whole = b.len() / 8 * 8;
        for i in (0..whole).step_by(8) {
            let mut eight = [0; 8];
            eight.copy_from_slice(&b[i..i + 8]);
            host_store_u64(block + i as u64, u64::from_le_bytes(eight));
        }
        for (i, v) in b.iter().enumerate().skip(whole) {
            host_store_u8(block + i as u64, *v as u32);
        }
        block
    }
}

/// Runs an export. A panic writes its place to the host's log.
fn export(f: fn(&Value, &mut Out) -> Result<(), Error>) -> i32 {
    std::panic::set_hook(Box::new(|info| unsafe { host_log_error(to_host(&info.to_string())) }));
    let mut input = vec![0; unsafe { host_input_length() } as usize];
    unsafe { host_input_read(input.as_mut_ptr(), input.len() as u32, 0) };
    let mut out = Out::default();
    let request = if input.is_empty() { Value::Nil } else { Value::read(&mut &input[..]) };
    match f(&request, &mut out) {
        Ok(()) => {
            unsafe { host_output_write(out.0.as_ptr(), out.0.len() as u32) };
            0
        }
        Err(e) => {
            let mut text = e.message;
            for (kind, t) in e.tries {
                text += &format!("\ntry{}{kind}: {t}", if kind.is_empty() { "" } else { " " });
            }
            unsafe { host_error_set(to_host(&text)) };
            1
        }
    }
}

#[no_mangle]
pub extern "C" fn fcp_manifest() -> i32 {
    export(manifest)
}
#[no_mangle]
pub extern "C" fn fcp_new() -> i32 {
    export(create)
}
#[no_mangle]
pub extern "C" fn fcp_open() -> i32 {
    export(open)
}
#[no_mangle]
pub extern "C" fn fcp_save() -> i32 {
    export(save)
}
#[no_mangle]
pub extern "C" fn fcp_apply() -> i32 {
    export(apply)
}
#[no_mangle]
pub extern "C" fn fcp_query() -> i32 {
    export(query)
}
#[no_mangle]
pub extern "C" fn fcp_reverse() -> i32 {
    export(|request, out| again(request, out, true))
}
#[no_mangle]
pub extern "C" fn fcp_replay() -> i32 {
    export(|request, out| again(request, out, false))
}
#[no_mangle]
pub extern "C" fn fcp_state() -> i32 {
    export(state)
}
