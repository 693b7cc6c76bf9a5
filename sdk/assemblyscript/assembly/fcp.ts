// The SDK for fcp-host domains in AssemblyScript: one file.
//
// The model is the file's text. Every change is a splice of it (Doc.change), and the splice is the event: undo, redo, recovery and
// the rollback of a failed op follow from that, and what no op names keeps its bytes. A domain is a module that calls define and
// exports the functions at the end of this file.
//
// Over 400 lines: an SDK is one file, which a domain copies instead of using a package registry.

/** An element that ops name: the range at..end of the text, and its name, which is also its id. */
export class Element {
  constructor(public at: i32, public end: i32, public name: string) {}
}

// The syntax of a verb, query or selector describes it; from it the SDK derives what the host checks. Words after the name are
// positionals, key:VALUE is a parameter, [ ] encloses optional parts, … follows a word that may be repeated, and @SEL, also as
// in TASK|@SEL, means that selectors may replace names.

/** A verb. run returns a reply, or null after fail; then the document is unchanged. */
export class Verb {
  constructor(public syntax: string, public summary: string, public example: string, public run: (doc: Doc, op: Op) => Reply | null) {}
}

/** A query. run returns the answer, or null after fail. */
export class Query {
  constructor(public syntax: string, public summary: string, public run: (doc: Doc, op: Op) => string | null) {}
}

/** A selector of the domain's own, in addition to @all, @recent and @not:… */
export class Selector {
  constructor(public name: string, public syntax: string, public summary: string, public matches: (text: string, e: Element, value: string) => bool) {}
}

/** A domain: set its fields and pass it to define. */
export class Domain {
  name: string = "";
  title: string = "";
  version: string = "0.1.0";
  summary: string = "";
  extension: string = ""; // including the dot
  noun: string = "element"; // the word for an element in error messages
  create: (title: string) => string | null = (title: string): string | null => ""; // returns the text of a new document, or null after fail
  check: (text: string) => bool = (text: string): bool => true; // returns false after fail if the text, valid UTF-8, is not such a file
  elements: (text: string) => Element[] = (text: string): Element[] => []; // in document order
  digest: (text: string) => string = (text: string): string => ""; // one short line
  verbs: Verb[] = [];
  queries: Query[] = [];
  selectors: Selector[] = [];
}

let domain: Domain = new Domain();

export function define(d: Domain): void {
  domain = d;
}

// ---- errors and replies ----

class Try {
  constructor(public kind: string, public text: string) {}
}

let message: string = "";
let tries: Try[] = [];

/** Sets the error message of the op or query: return null, or false, after it. */
export function fail(text: string): void {
  message = visible(text);
  tries = [];
}

/** After fail: suggests an op that would work, or for a refused query a query. */
export function suggest(op: string): void {
  if (tries.length < 3) tries.push(new Try("", op));
}

/** After fail: suggests a query that would help. */
export function suggestQuery(query: string): void {
  if (tries.length < 3) tries.push(new Try("query", query));
}

/** The result of an op: created, connection, changed, deleted, bulk or unchanged, and a sentence. */
export class Reply {
  constructor(public kind: string, public text: string) {}

  /** The reply of a verb that may have changed any number of elements. */
  static done(kind: string, did: string, names: string[]): Reply {
    if (names.length == 0) return new Reply("unchanged", did + ": nothing to change");
    if (names.length == 1) return new Reply(kind, did + " " + quote(names[0]));
    let list = quote(names[0]);
    for (let i = 1; i < min(names.length, 8); i++) list += ", " + quote(names[i]);
    return new Reply("bulk", did + " " + names.length.toString() + " " + domain.noun + "s: " + list + (names.length > 8 ? ", …" : ""));
  }
}

// visible escapes control characters as \u001b: selectors and files may contain them.
function visible(text: string): string {
  let out = "";
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    out += c < 32 || c == 127 ? "\\u" + c.toString(16).padStart(4, "0") : text.charAt(i);
  }
  return out;
}

function isWord(c: i32): bool {
  return c >= 0x80 || (c >= 48 && c <= 57) || ((c | 32) >= 97 && (c | 32) <= 122) || c == 95;
}

/** Prints a text as one word of an op that parses to the same text. */
export function quote(text: string): string {
  let bare = text.length > 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (!isWord(c) && !(i > 0 && (c == 45 || c == 46))) bare = false;
  }
  if (bare) return text;
  let out = '"';
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c == 34 || c == 92) out += "\\" + text.charAt(i);
    else if (c == 10) out += "\\n";
    else if (c == 9) out += "\\t";
    else if (c < 32 || c == 127) out += "\\u" + c.toString(16).padStart(4, "0");
    else out += text.charAt(i);
  }
  return out + '"';
}

// ---- the document ----

class Event {
  constructor(public at: i32, public old: string, public now: string, public id: string, public summary: string) {}
}

/** The document while a verb runs. */
export class Doc {
  events: Event[] = [];
  recent: string[] = []; // touched, oldest first

  constructor(public text: string) {}

  /** Replaces at..end of the text. id is the name of the element that the change touches, summary a line for the history. */
  change(at: i32, end: i32, now: string, id: string, summary: string): void {
    this.events.push(new Event(at, this.text.substring(at, end), now, id, summary));
    this.splice(at, end, now);
  }

  splice(at: i32, end: i32, now: string): void {
    this.text = this.text.substring(0, at) + now + this.text.substring(end);
  }

  undo(): void {
    while (this.events.length > 0) {
      const e = this.events.pop();
      this.splice(e.at, e.at + e.now.length, e.old);
    }
  }

  /**
   * The elements that an op is about, in document order: what its selectors match, or what its words name, except the last
   * `values` of them; null after fail. A destructive verb requires exact names: no prefixes.
   */
  targets(op: Op, values: i32, exact: bool): Element[] | null {
    const all = domain.elements(this.text);
    const names = op.words.length - values;
    if (names < 0) {
      fail(op.verb + " needs " + values.toString() + (values == 1 ? " word" : " words") + " behind what it is about");
      return null;
    }
    if (op.selectors.length > 0 && names > 0) {
      fail(op.verb + " takes names or selectors, not both");
      return null;
    }
    const marks = new Array<bool>(all.length).fill(op.selectors.length > 0);
    for (let i = 0; i < names; i++) {
      const k = find(op, i, exact, all);
      if (k < 0) return null;
      marks[k] = true;
    }
    let raw = "";
    for (let i = 0; i < op.selectors.length; i++) {
      const s = op.selectors[i];
      raw += " " + s.raw;
      const one = this.matching(s, all);
      if (one === null) return null;
      for (let k = 0; k < all.length; k++) marks[k] = marks[k] && one[k] != s.negated;
    }
    const list: Element[] = [];
    for (let k = 0; k < all.length; k++) if (marks[k]) list.push(all[k]);
    if (list.length > 0) return list;
    fail("nothing matches" + raw);
    return null;
  }

  matching(s: Select, all: Element[]): bool[] | null {
    const one = new Array<bool>(all.length).fill(false);
    if (s.name == "all") {
      if (s.value == "") return one.fill(true);
      fail("@all takes no value");
      return null;
    }
    if (s.name == "recent") {
      let left = 1;
      if (s.value != "") {
        left = 0;
        for (let i = 0; i < s.value.length && left >= 0; i++) {
          const c = s.value.charCodeAt(i);
          left = c < 48 || c > 57 || i > 5 ? -1 : left * 10 + c - 48;
        }
        if (left < 1) {
          fail(s.raw + ": N is a whole number from 1");
          return null;
        }
      }
      for (let i = this.recent.length - 1; i >= 0 && left > 0; i--) {
        for (let k = all.length - 1; k >= 0; k--) {
          if (all[k].name != this.recent[i]) continue;
          if (!one[k]) left--;
          one[k] = true;
          break;
        }
      }
      return one;
    }
    for (let i = 0; i < domain.selectors.length; i++) {
      const d = domain.selectors[i];
      if (d.name != s.name) continue;
      for (let k = 0; k < all.length; k++) one[k] = d.matches(this.text, all[k], s.value);
      return one;
    }
    fail("unknown selector @" + s.name);
    return null;
  }
}

function bare(s: string): string {
  return s.toLowerCase().replaceAll("-", "").replaceAll("_", "").replaceAll(" ", "");
}

function alike(name: string, own: string, level: i32): bool {
  if (level == 0) return name == own;
  if (level == 1) return name.toLowerCase() == own.toLowerCase();
  const short = bare(name);
  return short != "" && (level == 2 ? bare(own) == short : bare(own).startsWith(short));
}

// find returns the index of the element that word i of an op names, or -1 after fail.
function find(op: Op, i: i32, exact: bool, all: Element[]): i32 {
  const name = op.words[i];
  for (let level = 0; level < 4; level++) {
    const hits: i32[] = [];
    for (let k = 0; k < all.length; k++) if (alike(name, all[k].name, level)) hits.push(k);
    const full = exact && level == 3;
    if (hits.length == 0) continue;
    if (hits.length == 1 && !full) return hits[0];
    if (level == 0) {
      fail(hits.length.toString() + " are called " + quote(name) + ": use a selector");
      return -1;
    }
    const names: string[] = [];
    for (let k = 0; k < hits.length && names.length < 8; k++) {
      const own = all[hits[k]].name;
      if (!names.includes(own)) names.push(own);
    }
    const list = names.map<string>((n: string): string => quote(n)).join(", ");
    fail(full ? "no " + domain.noun + " is called " + quote(name) + "; give the full name: " + list : quote(name) + " may be several: " + list);
    for (let k = 0; k < names.length; k++) suggest(op.with(i, names[k]));
    return -1;
  }
  fail("no " + domain.noun + " is called " + quote(name));
  if (all.length > 0) suggestQuery("map");
  return -1;
}

// ---- ops ----

class Select {
  constructor(public raw: string, public name: string, public value: string, public negated: bool) {}
}

/** An op or a query. */
export class Op {
  verb: string;
  words: string[] = []; // positionals
  keys: string[] = [];
  values: string[] = [];
  selectors: Select[] = [];

  constructor(v: Value) {
    this.verb = v.text("verb");
    const words = v.list("positionals"), params = v.list("params"), selectors = v.list("selectors");
    for (let i = 0; i < words.length; i++) this.words.push(words[i].text("text"));
    for (let i = 0; i < params.length; i++) {
      this.keys.push(params[i].text("key"));
      this.values.push(params[i].text("value"));
    }
    for (let i = 0; i < selectors.length; i++) {
      const s = selectors[i];
      this.selectors.push(new Select(s.text("raw"), s.text("type"), s.text("value"), s.field("negated").n != 0));
    }
  }

  /** The value of a key, or null. */
  param(key: string): string | null {
    const i = this.keys.indexOf(key);
    return i < 0 ? null : this.values[i];
  }

  /** Prints the op with word i replaced. */
  with(i: i32, text: string): string {
    let line = this.verb;
    for (let k = 0; k < this.words.length; k++) line += " " + quote(k == i ? text : this.words[k]);
    for (let k = 0; k < this.keys.length; k++) line += " " + this.keys[k] + ":" + quote(this.values[k]);
    for (let k = 0; k < this.selectors.length; k++) line += " " + this.selectors[k].raw;
    return line;
  }
}

// ---- MessagePack ----

enum Kind {
  Nil,
  Int,
  Bytes,
  List,
  Map,
}

// Value is a decoded value: n is a number or a length, at the address of its bytes, items its elements (of a map: key, value, …).
class Value {
  items: Value[] = [];

  constructor(public kind: Kind, public n: i64, public at: usize) {}

  field(key: string): Value {
    for (let i = this.kind == Kind.Map ? this.items.length - 2 : -1; i >= 0; i -= 2) if (this.items[i].string() == key) return this.items[i + 1];
    return new Value(Kind.Nil, 0, 0);
  }

  string(): string {
    return this.kind == Kind.Bytes ? String.UTF8.decodeUnsafe(this.at, <usize>this.n) : "";
  }

  text(key: string): string {
    return this.field(key).string();
  }

  list(key: string): Value[] {
    const v = this.field(key);
    return v.kind == Kind.List ? v.items : [];
  }
}

// Reader decodes memory at..end. The host never sends a malformed message.
class Reader {
  constructor(public at: usize) {}

  number(n: i32): u64 {
    let v: u64 = 0;
    while (n-- > 0) v = (v << 8) | load<u8>(this.at++);
    return v;
  }

  bytes(n: u64): Value {
    const v = new Value(Kind.Bytes, <i64>n, this.at);
    this.at += <usize>n;
    return v;
  }

  items(kind: Kind, n: u64): Value {
    const v = new Value(kind, <i64>n, this.at);
    for (let left = kind == Kind.Map ? 2 * n : n; left > 0; left--) v.items.push(this.value());
    return v;
  }

  value(): Value {
    const b = <i32>this.number(1);
    if (b < 0x80) return new Value(Kind.Int, b, 0);
    if (b < 0x90) return this.items(Kind.Map, b & 15);
    if (b < 0xa0) return this.items(Kind.List, b & 15);
    if (b < 0xc0) return this.bytes(b & 31);
    if (b >= 0xe0) return new Value(Kind.Int, b - 256, 0);
    if (b == 0xc2 || b == 0xc3) return new Value(Kind.Int, b & 1, 0);
    if (b >= 0xc4 && b <= 0xc6) return this.bytes(this.number(1 << (b - 0xc4)));
    if (b >= 0xd9 && b <= 0xdb) return this.bytes(this.number(1 << (b - 0xd9)));
    if (b >= 0xcc && b <= 0xcf) return new Value(Kind.Int, <i64>this.number(1 << (b - 0xcc)), 0);
    if (b >= 0xd0 && b <= 0xd3) {
      const n = 1 << (b - 0xd0);
      const shift = 64 - 8 * n;
      return new Value(Kind.Int, <i64>(this.number(n) << shift) >> shift, 0);
    }
    if (b == 0xdc || b == 0xdd) return this.items(Kind.List, this.number(2 << (b - 0xdc)));
    if (b == 0xde || b == 0xdf) return this.items(Kind.Map, this.number(2 << (b - 0xde)));
    return new Value(Kind.Nil, 0, 0); // the protocol has no floats and extensions
  }
}

// Out encodes a message.
class Out {
  buf: ArrayBuffer = new ArrayBuffer(256);
  n: i32 = 0;

  room(n: i32): usize {
    if (this.n + n > this.buf.byteLength) {
      const more = new ArrayBuffer(max(this.n + n, 2 * this.buf.byteLength));
      memory.copy(changetype<usize>(more), changetype<usize>(this.buf), this.n);
      this.buf = more;
    }
    this.n += n;
    return changetype<usize>(this.buf) + this.n - n;
  }

  byte(b: i32): Out {
    store<u8>(this.room(1), <u8>b);
    return this;
  }

  sized(kind: i32, n: i32): Out {
    this.byte(kind);
    store<u32>(this.room(4), bswap<u32>(n));
    return this;
  }

  map(n: i32): Out {
    return this.sized(0xdf, n);
  }

  list(n: i32): Out {
    return this.sized(0xdd, n);
  }

  raw(b: ArrayBuffer, n: i32): Out {
    memory.copy(this.room(n), changetype<usize>(b), n);
    return this;
  }

  text(s: string): Out {
    const b = String.UTF8.encode(s);
    return this.sized(0xdb, b.byteLength).raw(b, b.byteLength);
  }

  int(v: i64): Out {
    this.byte(0xd3);
    store<u64>(this.room(8), bswap<u64>(v));
    return this;
  }

  pair(key: string, value: string): Out {
    return this.text(key).text(value);
  }

  state(doc: Doc): Out {
    return this.text("state").map(1).pair("digest", domain.digest(doc.text));
  }
}

function isUTF8(at: usize, n: i32): bool {
  for (let i = 0; i < n; ) {
    const b = <u32>load<u8>(at + i++);
    if (b < 0x80) continue;
    const more = b >= 0xf0 ? 3 : b >= 0xe0 ? 2 : 1;
    let rune = b & (0x3f >> more);
    if (b < 0xc2 || b > 0xf4 || n - i < more) return false;
    for (let k = 0; k < more; k++, i++) {
      const next = <u32>load<u8>(at + i);
      if ((next & 0xc0) != 0x80) return false;
      rune = (rune << 6) | (next & 0x3f);
    }
    if (rune < <u32>(more == 1 ? 0x80 : more == 2 ? 0x800 : 0x10000) || rune > 0x10ffff || (rune >= 0xd800 && rune < 0xe000)) return false;
  }
  return true;
}

// ---- the host ----

@external("extism:host/env", "input_length") declare function input_length(): u64;
@external("extism:host/env", "alloc") declare function alloc(length: u64): u64;
@external("extism:host/env", "store_u8") declare function store_u8(offset: u64, value: u32): void;
@external("extism:host/env", "error_set") declare function error_set(handle: u64): void;
@external("extism:host/env", "log_info") declare function log_info(handle: u64): void;
@external("fcp:host/env", "input_read") declare function input_read(to: usize, length: u32, offset: u32): u32;
@external("fcp:host/env", "output_write") declare function output_write(from: usize, length: u32): void;

function toHost(text: string): u64 {
  const b = Uint8Array.wrap(String.UTF8.encode(text));
  const block = alloc(b.length);
  for (let i = 0; i < b.length; i++) store_u8(block + i, b[i]);
  return block;
}

/** Writes a line to the host's log, which `fcp-host exec` prints. */
export function log(text: string): void {
  log_info(toHost(text));
}

/** The function for --use abort=: it logs where a fault happened. */
export function trap(text: string | null, file: string | null, line: u32, column: u32): void {
  log((text ? text : "abort") + " at " + (file ? file : "") + ":" + line.toString());
  unreachable();
}

let input: ArrayBuffer = new ArrayBuffer(0);
let opened: Doc | null = null;

function request(): Value {
  fail("");
  input = new ArrayBuffer(<i32>input_length());
  if (input.byteLength == 0) return new Value(Kind.Nil, 0, 0);
  input_read(changetype<usize>(input), input.byteLength, 0);
  return new Reader(changetype<usize>(input)).value();
}

function answer(out: Out): i32 {
  output_write(changetype<usize>(out.buf), out.n);
  return 0;
}

function refuse(): i32 {
  let text = message;
  for (let i = 0; i < tries.length; i++) text += "\ntry" + (tries[i].kind == "" ? "" : " " + tries[i].kind) + ": " + tries[i].text;
  error_set(toHost(text));
  return 1;
}

function closed(): i32 {
  fail("no document is open");
  return refuse();
}

// ---- the manifest ----

// Syntax is a parsed syntax line.
class Syntax {
  name: string;
  keys: string[] = [];
  values: string[] = [];
  select: bool = false;
  min: i32 = 0;
  max: i32 = 0;

  constructor(line: string) {
    const words = line.replaceAll("[", " [ ").replaceAll("]", " ] ").split(" ");
    this.name = words[0];
    let optional = 0;
    for (let i = 1; i < words.length; i++) {
      const word = words[i];
      if (word == "" || word == "|") continue;
      if (word == "[" || word == "]") {
        optional += word == "[" ? 1 : -1;
        continue;
      }
      let colon = 0;
      while (colon < word.length && word.charCodeAt(colon) < 0x80 && (isWord(word.charCodeAt(colon)) || word.charAt(colon) == "-")) colon++;
      if (colon > 0 && colon < word.length && word.charAt(colon) == ":") {
        this.keys.push(word.substring(0, colon));
        this.values.push(word.substring(colon + 1));
        continue;
      }
      let positional = false;
      const alternatives = word.split("|");
      for (let k = 0; k < alternatives.length; k++) {
        if (alternatives[k].startsWith("@")) this.select = true;
        else positional = true;
      }
      if (!positional) continue;
      if (optional == 0) this.min++;
      if (this.max >= 0) this.max++;
      if (word.includes("…") || word.includes("...")) this.max = -1;
    }
  }

  write(out: Out): void {
    out.text("min").int(this.min).text("max").int(this.max);
    out.text("select").byte(this.select ? 0xc3 : 0xc2);
    out.text("params").list(this.keys.length);
    for (let i = 0; i < this.keys.length; i++) out.map(2).pair("key", this.keys[i]).pair("value", this.values[i]);
  }
}

// ---- exports ----

export function fcp_manifest(): i32 {
  const d = domain;
  const out = new Out().map(9).text("abi").int(1).pair("domain", d.name).pair("title", d.title).pair("version", d.version).pair("summary", d.summary);
  out.text("extensions").list(1).text(d.extension);
  out.text("verbs").list(d.verbs.length);
  for (let i = 0; i < d.verbs.length; i++) {
    const v = d.verbs[i], s = new Syntax(v.syntax);
    out.map(8).pair("name", s.name).pair("syntax", v.syntax).pair("summary", v.summary);
    out.text("examples").list(1).text(v.example);
    s.write(out);
  }
  out.text("queries").list(d.queries.length);
  for (let i = 0; i < d.queries.length; i++) {
    const q = d.queries[i], s = new Syntax(q.syntax);
    out.map(4).pair("name", s.name).pair("syntax", q.syntax).pair("summary", q.summary);
    s.write(out.text("takes").map(4));
  }
  out.text("selectors").list(d.selectors.length);
  for (let i = 0; i < d.selectors.length; i++) {
    const s = d.selectors[i];
    out.map(3).pair("type", s.name).pair("syntax", s.syntax).pair("summary", s.summary);
  }
  return answer(out);
}

function start(text: string | null): i32 {
  opened = null;
  if (text === null) return refuse();
  const doc = new Doc(text);
  opened = doc;
  return answer(new Out().map(1).state(doc));
}

export function fcp_new(): i32 {
  return start(domain.create(request().text("title")));
}

export function fcp_open(): i32 {
  const data = request().field("data");
  let text: string | null = data.string();
  if (!isUTF8(data.at, <i32>data.n)) {
    fail("the file is not UTF-8 text");
    text = null;
  } else if (!domain.check(text)) text = null;
  return start(text);
}

export function fcp_save(): i32 {
  const doc = opened;
  if (doc === null) return closed();
  const b = String.UTF8.encode(doc.text);
  return answer(new Out().map(1).text("data").sized(0xc6, b.byteLength).raw(b, b.byteLength));
}

export function fcp_state(): i32 {
  const doc = opened;
  if (doc === null) return closed();
  return answer(new Out().map(1).state(doc));
}

function run(doc: Doc, op: Op): Reply | null {
  doc.events = [];
  fail(quote(op.verb) + " is no verb of " + domain.name);
  for (let i = 0; i < domain.verbs.length; i++) {
    const v = domain.verbs[i];
    if (v.syntax.split(" ")[0] != op.verb) continue;
    const reply = v.run(doc, op);
    if (reply !== null && reply.kind != "unchanged" && doc.events.length > 0) return reply;
    doc.undo();
    if (reply === null || reply.kind == "unchanged") return reply;
    fail(op.verb + " changed nothing");
  }
  return null;
}

function put(out: Out, doc: Doc, reply: Reply | null): void {
  if (reply === null) {
    out.map(1).text("error").map(2).pair("message", message).text("try").list(tries.length);
    for (let i = 0; i < tries.length; i++) out.map(2).pair("kind", tries[i].kind == "" ? "op" : tries[i].kind).pair("text", tries[i].text);
    return;
  }
  out.map(3).pair("kind", reply.kind).pair("text", reply.text).text("events").list(doc.events.length);
  for (let i = 0; i < doc.events.length; i++) {
    const e = doc.events[i];
    out.map(4).pair("type", "splice").pair("summary", e.summary).text("ids").list(e.id == "" ? 0 : 1);
    if (e.id != "") {
      out.text(e.id);
      doc.recent.push(e.id);
    }
    const data = new Out().list(3).int(e.at).text(e.old).text(e.now);
    out.text("data").sized(0xc6, data.n).raw(data.buf, data.n);
  }
}

export function fcp_apply(): i32 {
  const r = request();
  const doc = opened;
  if (doc === null) return closed();
  doc.recent = [];
  const recent = r.list("recent"), ops = r.list("ops");
  for (let i = recent.length - 1; i >= 0; i--) doc.recent.push(recent[i].string());
  const results = new Out();
  let n = 0;
  for (let ok = true; n < ops.length && (ok || r.field("each").n != 0); n++) {
    const reply = run(doc, new Op(ops[n]));
    ok = reply !== null;
    put(results, doc, reply);
  }
  return answer(new Out().map(2).text("results").list(n).raw(results.buf, results.n).state(doc));
}

function again(reverse: bool): i32 {
  const events = request().list("events");
  const doc = opened;
  if (doc === null) return closed();
  for (let i = 0; i < events.length; i++) {
    const parts = new Reader(events[i].field("data").at).value().items;
    const at = <i32>parts[0].n;
    const old = parts[reverse ? 2 : 1].string(), now = parts[reverse ? 1 : 2].string();
    if (doc.text.substr(at, old.length) != old) {
      fail("an event does not fit the document");
      return refuse();
    }
    doc.splice(at, at + old.length, now);
  }
  return answer(new Out().map(1).state(doc));
}

export function fcp_reverse(): i32 {
  return again(true);
}

export function fcp_replay(): i32 {
  return again(false);
}

export function fcp_query(): i32 {
  const op = new Op(request().field("query"));
  const doc = opened;
  if (doc === null) return closed();
  for (let i = 0; i < domain.queries.length; i++) {
    const q = domain.queries[i];
    if (q.syntax.split(" ")[0] != op.verb) continue;
    const text = q.run(doc, op);
    return text === null ? refuse() : answer(new Out().map(1).pair("text", text));
  }
  fail(quote(op.verb) + " is no query of " + domain.name);
  return refuse();
}
