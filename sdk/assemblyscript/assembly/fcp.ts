// The SDK for fcp-host domains in AssemblyScript: one file.
//
// The model is the file's text. Every change is a splice of it (Doc.change), and the splice is the event: undo, redo, recovery and
// the rollback of a failed op follow from that, and what no op names keeps its bytes. A domain is a module that calls define and
// exports the functions at the end of this file.
//
// Over 400 lines: an SDK is one file, which a domain copies instead of using a package registry.

/** An element that ops name: the range at..end of the text, and its name. The SDK sets its id, by which ops and the history name it: its
 * name, or name#2 for the second of several with this name. */
export class Element {
  id: string;
  constructor(public at: i32, public end: i32, public name: string) {
    this.id = name;
  }
}

// The syntax of a verb, query or selector describes it; from it the SDK derives what the host checks. Words after the name are
// positionals, key:VALUE is a parameter, [ ] encloses optional parts, … follows a word that may be repeated, and SEL or @SEL, also as
// in TASK|@SEL, means that selectors may replace names. VALUE says what the SDK accepts before run is called: 1-9 a whole number,
// 0.5-2 or N a number, X,Y a point, WxH a size, open|done one of these; anything else is a text.

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
  static done(kind: string, did: string, ids: string[]): Reply {
    if (ids.length == 0) return new Reply("unchanged", did + ": nothing to change");
    if (ids.length == 1) return new Reply(kind, did + " " + quote(ids[0]));
    let list = quote(ids[0]);
    for (let i = 1; i < min(ids.length, 8); i++) list += ", " + quote(ids[i]);
    return new Reply("bulk", did + " " + ids.length.toString() + " " + domain.noun + "s: " + list + (ids.length > 8 ? ", …" : ""));
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
    if (!isWord(c) && !(i > 0 && (c == 45 || c == 46 || c == 35))) bare = false;
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

// occurs is a faster text.includes(name).
function occurs(text: string, name: string): bool {
  if (name == "" || text.length < name.length) return name == "";
  const what = changetype<usize>(name), n = <usize>name.length << 1, first = load<u16>(what);
  const from = changetype<usize>(text), last = from + (<usize>text.length << 1) - n;
  for (let at = from; at <= last; at += 2) if (load<u16>(at) == first && memory.compare(at, what, n) == 0) return true;
  return false;
}

// ---- the document ----

/** A change of the text: now for the text old at `at`. id is the id of the element that it touches. */
export class Splice {
  constructor(public at: i32, public old: string, public now: string, public id: string) {}
}

class Event {
  constructor(public splices: Splice[], public summary: string) {}
}

/** The document while a verb runs. */
export class Doc {
  events: Event[] = [];
  recent: string[] = []; // touched, oldest first
  places: Map<string, i32> = new Map(); // the indexes of elements by name, of the first with it, and by id

  constructor(public text: string) {}

  /**
   * Makes splices as one event. Their places are those in the text before all of them, in order, and do not overlap. The history
   * says what it did, and to which element or how many.
   */
  changeAll(list: Splice[], did: string): void {
    if (list.length == 0) return;
    assert(this.splice(list, false), "splices overlap, or do not fit the text");
    this.events.push(new Event(list, did + " " + (list.length == 1 ? quote(list[0].id) : list.length.toString() + " " + domain.noun + "s")));
  }

  /** Makes one splice: now for at..end. */
  change(at: i32, end: i32, now: string, id: string, did: string): void {
    this.changeAll([new Splice(at, this.text.substring(at, end), now, id)], did);
  }

  // splice makes or reverses the splices of an event. If they do not fit the text, it returns false and changes nothing.
  splice(list: Splice[], reverse: bool): bool {
    const pieces: string[] = [];
    let at = 0, made = 0; // how far the text is copied, and the length of the copy
    for (let i = 0; i < list.length; i++) {
      const s = list[i], old = reverse ? s.now : s.old, now = reverse ? s.old : s.now, from = reverse ? s.at + at - made : s.at;
      if (from < at || this.text.substr(from, old.length) != old) return false;
      if (list.length == 1) {
        this.text = this.text.substring(0, from) + now + this.text.substring(from + old.length);
        return true;
      }
      pieces.push(this.text.substring(at, from));
      pieces.push(now);
      made += from - at + now.length;
      at = from + old.length;
    }
    this.text = pieces.join("") + this.text.substring(at);
    return true;
  }

  undo(): void {
    while (this.events.length > 0) this.splice(this.events.pop().splices, true);
  }

  // every lists the elements with their ids.
  every(): Element[] {
    const all = domain.elements(this.text), places = new Map<string, i32>();
    const first = new Array<i32>(all.length), twins = new Array<i32>(all.length).fill(0); // of the first with a name: how many have it, then how many have their number
    for (let i = 0; i < all.length; i++) {
      if (!places.has(all[i].name)) places.set(all[i].name, i);
      first[i] = places.get(all[i].name);
      twins[first[i]]++;
    }
    for (let i = 0; i < all.length; i++) {
      const e = all[i], f = first[i];
      if (f == i && twins[i] == 1) continue;
      if (f == i) twins[i] = 0;
      do e.id = e.name + "#" + (++twins[f]).toString();
      while (places.has(e.id)); // another element has this name
      places.set(e.id, i);
    }
    this.places = places;
    return all;
  }

  /** The id that a new element with this name gets if it is inserted at a place of the text. */
  idAt(name: string, at: i32): string {
    if (!occurs(this.text, name)) return name; // as for most names
    const all = domain.elements(this.text);
    let twins = 0, before = 0;
    for (let i = 0; i < all.length; i++) {
      if (all[i].name != name) continue;
      twins++;
      if (all[i].at < at) before++;
    }
    return twins == 0 ? name : name + "#" + (before + 1).toString();
  }

  /**
   * The elements that an op is about, in document order: what its selectors match, or what its words name, except the last
   * `values` of them; null after fail. A destructive verb requires exact names: no prefixes.
   */
  targets(op: Op, values: i32, exact: bool): Element[] | null {
    const all = this.every();
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
      const k = find(op, i, exact, all, this.places);
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
        if (!this.places.has(this.recent[i])) continue;
        const k = this.places.get(this.recent[i]);
        if (!one[k]) left--;
        one[k] = true;
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
function find(op: Op, i: i32, exact: bool, all: Element[], places: Map<string, i32>): i32 {
  const name = op.words[i];
  if (name != "" && places.has(name) && all[places.get(name)].id == name) return places.get(name);
  for (let level = 0; level < 4; level++) {
    const hits: i32[] = [];
    for (let k = 0; k < all.length; k++) if (name != "" && (alike(name, all[k].name, level) || (all[k].id != all[k].name && alike(name, all[k].id, level)))) hits.push(k);
    const full = exact && level == 3;
    if (hits.length == 0) continue;
    if (hits.length == 1 && !full) return hits[0];
    const ids: string[] = [];
    for (let k = 0; k < hits.length && k < 8; k++) ids.push(quote(all[hits[k]].id));
    fail(domain.noun + ' "' + name + '" ' + (full ? "not found; give the full name" : "is ambiguous") + ": " + ids.join(", ") + (hits.length > 8 ? ", …" : ""));
    for (let k = 0; k < hits.length && k < 3; k++) suggest(op.with(i, all[hits[k]].id));
    return -1;
  }
  fail(domain.noun + ' "' + name + '" not found');
  if (all.length > 0) suggestQuery("map");
  return -1;
}

// ---- values: what a syntax line shows for a key is the type of its values ----

// numberEnd returns where the decimal number ends that begins at a place, or -1 if there is none.
function numberEnd(s: string, from: i32): i32 {
  let i = from, digits = 0, point = false;
  if (s.charAt(i) == "-" || s.charAt(i) == "+") i++;
  for (; i < s.length; i++) {
    const c = s.charCodeAt(i);
    if (c >= 48 && c <= 57) digits++;
    else if (c == 46 && !point) point = true;
    else break;
  }
  return digits > 0 && digits < 30 ? i : -1;
}

/** The value of a key whose type is X,Y or WxH. */
export class Pair {
  constructor(public a: f64, public b: f64, public gap: string, public near: string) {}
}

// takePair reads two numbers with a gap between them; near joins them as sep does.
function takePair(s: string, sep: string): Pair | null {
  const a = numberEnd(s, 0);
  let b = max(a, 0);
  while (b < s.length && !"+-.0123456789".includes(s.charAt(b))) b++;
  if (a < 0 || a == b || numberEnd(s, b) != s.length) return null;
  return new Pair(parseFloat(s.substring(0, a)), parseFloat(s.substring(b)), s.substring(a, b), s.substring(0, a) + sep + s.substring(b));
}

let why: string = ""; // what a value that accept refused is not
let near: string = ""; // the nearest value, or ""

// accept checks a value against one form of a syntax line, and gives a word the spelling of that line. It returns null after setting why
// and near.
function accept(form: string, value: string): string | null {
  if (form == "X,Y" || form == "WxH") {
    const sep = form == "X,Y" ? "," : "x", p = takePair(value, sep);
    why = sep == "," ? "is not a point X,Y, such as 200,120" : "is not a size WxH, such as 140x60";
    if (p === null || (sep == "x" && min(p.a, p.b) < 0)) return null;
    near = p.near;
    return p.gap.toLowerCase() == sep ? value : null;
  }
  const number = numberEnd(value, 0) == value.length, n = parseFloat(value);
  why = "is not a number";
  if (form == "N") return number ? value : null;
  const low = numberEnd(form, 0);
  if (low > 0 && form.charAt(low) == "-" && numberEnd(form, low + 1) == form.length) {
    const whole = !form.includes("."), lo = form.substring(0, low), hi = form.substring(low + 1);
    why = "is not a " + (whole ? "whole number" : "number") + " from " + lo + " to " + hi;
    if (!number || (whole && value.includes("."))) return null;
    if (n >= parseFloat(lo) && n <= parseFloat(hi)) return value;
    near = n < parseFloat(lo) ? lo : hi;
    return null;
  }
  const c = form.charCodeAt(0);
  if (c < 97 || c > 122) return value; // a text
  if (bare(value) == bare(form)) return form;
  why = "is not one of " + form;
  if (value != "" && value.charAt(0).toLowerCase() == form.charAt(0)) near = form; // it begins alike
  return null;
}

// checkParams refuses an op with a value that is not of its key's type: it returns false after fail.
function checkParams(op: Op, syntax: string): bool {
  if (op.keys.length == 0) return true;
  const s = new Syntax(syntax);
  for (let i = 0; i < op.keys.length; i++) {
    const k = s.keys.indexOf(op.keys[i]), value = op.values[i];
    if (k < 0 || s.values[k] == "") continue;
    const forms = s.values[k].split("|");
    let fits: string | null = null;
    near = "";
    for (let f = 0; f < forms.length && fits === null; f++) fits = accept(forms[f], value);
    if (fits !== null) {
      op.values[i] = fits;
      continue;
    }
    fail(op.keys[i] + ":" + value + " " + (forms.length > 1 ? "is not one of " + forms.join(" ") : why));
    op.values[i] = near;
    if (near != "") suggest(op.print());
    return false;
  }
  return true;
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

  /** The value of a key whose type is a number, or `otherwise` if the op does not have it. */
  paramNumber(key: string, otherwise: f64): f64 {
    const v = this.param(key);
    return v === null ? otherwise : parseFloat(v);
  }

  paramInt(key: string, otherwise: i64): i64 {
    return <i64>this.paramNumber(key, <f64>otherwise);
  }

  /** The value of a key whose type is X,Y or WxH, or null. */
  paramPair(key: string): Pair | null {
    const v = this.param(key);
    return v === null ? null : takePair(v, "");
  }

  /** Prints the op with word i replaced. */
  with(i: i32, text: string): string {
    const was = this.words[i];
    this.words[i] = text;
    const line = this.print();
    this.words[i] = was;
    return line;
  }

  print(): string {
    let line = this.verb;
    for (let k = 0; k < this.words.length; k++) line += " " + quote(this.words[k]);
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
        const a = alternatives[k];
        if (a.startsWith("@") || a == "SEL" || a == "SEL…") this.select = true;
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
    const reply = checkParams(op, v.syntax) ? v.run(doc, op) : null;
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
    out.map(4).pair("type", "splice").pair("summary", e.summary);
    const data = new Out().list(3 * e.splices.length), ids = new Out();
    let n = 0;
    for (let k = 0; k < e.splices.length; k++) {
      const s = e.splices[k];
      data.int(s.at).text(s.old).text(s.now);
      if (s.id == "") continue;
      n++;
      ids.text(s.id);
      doc.recent.push(s.id);
    }
    out.text("ids").list(n).raw(ids.buf, ids.n);
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
    const parts = new Reader(events[i].field("data").at).value().items, list: Splice[] = [];
    for (let k = 0; k + 2 < parts.length; k += 3) list.push(new Splice(<i32>parts[k].n, parts[k + 1].string(), parts[k + 2].string(), ""));
    if (list.length == 0 || !doc.splice(list, reverse)) {
      fail("an event does not fit the document");
      return refuse();
    }
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
    const text = checkParams(op, q.syntax) ? q.run(doc, op) : null;
    return text === null ? refuse() : answer(new Out().map(1).pair("text", text));
  }
  fail(quote(op.verb) + " is no query of " + domain.name);
  return refuse();
}
