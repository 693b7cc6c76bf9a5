//! The SDK for fcp-host domains in Zig: one file.
//!
//! The model is the file's text. Every change is a splice of it (`change`), and the splice is the event: undo, redo, recovery
//! and the rollback of a failed op follow from that, and what no op names keeps its bytes. A domain is a root file with
//! `pub const domain`, and `comptime { _ = fcp; }`.
//!
//! Over 400 lines: an SDK is one file, which a domain copies instead of using a package registry.

const std = @import("std");
const domain: Domain = @import("root").domain;

/// An element that ops name: the bytes at..end of the document, and its name, which is also its id.
pub const Element = struct { at: usize, end: usize, name: []const u8 };

/// The error that a function returns after fail.
pub const Error = error{Refused};

/// A domain. The syntax of verbs, queries and selectors describes them; from it the SDK derives what the host checks. Words
/// after the name are positionals, key:VALUE is a parameter, [ ] encloses optional parts, … follows a word that may be
/// repeated, and @SEL, also as in TASK|@SEL, means that selectors may replace names.
pub const Domain = struct {
    name: []const u8,
    title: []const u8,
    version: []const u8,
    summary: []const u8,
    /// Including the dot.
    extension: []const u8,
    /// The word for an element in error messages.
    noun: []const u8,
    /// The text of a new document.
    create: *const fn (title: []const u8) Error![]const u8,
    /// Refuses a text that is not such a file.
    check: *const fn (text: []const u8) Error!void,
    /// Finds the first element at or after a place of the text.
    next: *const fn (text: []const u8, from: usize) ?Element,
    /// One short line about the document.
    digest: *const fn (text: []const u8) []const u8,
    verbs: []const Verb,
    queries: []const Query,
    /// In addition to @all, @recent and @not:…
    selectors: []const Selector = &.{},
};

/// A verb. run runs the op and replies; after an error the document is unchanged.
pub const Verb = struct { syntax: []const u8, summary: []const u8, example: []const u8, run: *const fn (op: *const Op) Error!Reply };
pub const Query = struct { syntax: []const u8, summary: []const u8, run: *const fn (op: *const Op) Error![]const u8 };
pub const Selector = struct { name: []const u8, syntax: []const u8, summary: []const u8, matches: *const fn (text: []const u8, e: Element, value: []const u8) bool };

// ---- memory and text, which live until the next call ----

var arena = std.heap.ArenaAllocator.init(std.heap.wasm_allocator);

/// Memory that lives until the next call.
pub fn scratch(comptime Item: type, n: usize) []Item {
    return arena.allocator().alloc(Item, n) catch @panic("out of memory");
}

/// Formats a text as std.fmt does.
pub fn print(comptime format: []const u8, args: anytype) []const u8 {
    return std.fmt.allocPrint(arena.allocator(), format, args) catch @panic("out of memory");
}

fn keep(text: []const u8) []const u8 {
    const copy = scratch(u8, text.len);
    @memcpy(copy, text);
    return copy;
}

/// A list that grows and keeps its memory.
fn List(comptime Item: type) type {
    return struct {
        room: []Item = &.{},
        n: usize = 0,

        const Self = @This();

        fn items(self: *const Self) []Item {
            return self.room[0..self.n];
        }

        fn more(self: *Self, n: usize) []Item {
            if (self.n + n > self.room.len) {
                const size = @max(self.n + n, self.room.len * 2, 64);
                self.room = std.heap.wasm_allocator.realloc(self.room, size) catch @panic("out of memory");
            }
            self.n += n;
            return self.room[self.n - n .. self.n];
        }

        fn add(self: *Self, item: Item) void {
            self.more(1)[0] = item;
        }
    };
}

pub fn same(a: []const u8, b: []const u8) bool {
    return std.mem.eql(u8, a, b);
}

/// Prints a text as one word of an op that parses to the same text.
pub fn quote(text: []const u8) []const u8 {
    var bare = text.len > 0;
    for (text, 0..) |c, i| {
        if (!(c >= 0x80 or std.ascii.isAlphanumeric(c) or c == '_') and !(i > 0 and (c == '-' or c == '.'))) bare = false;
    }
    if (bare) return text;
    const line = scratch(u8, 6 * text.len + 2);
    var n: usize = 1;
    line[0] = '"';
    for (text) |c| {
        const piece: []const u8 = switch (c) {
            '"' => "\\\"",
            '\\' => "\\\\",
            '\n' => "\\n",
            '\t' => "\\t",
            else => if (c < 32 or c == 127) print("\\u{x:0>4}", .{c}) else &.{c},
        };
        @memcpy(line[n .. n + piece.len], piece);
        n += piece.len;
    }
    line[n] = '"';
    return line[0 .. n + 1];
}

// ---- errors and replies ----

/// Escapes control characters as \u001b: selectors and files may contain them.
fn visible(line: []const u8) []const u8 {
    var shown: []const u8 = "";
    var from: usize = 0;
    for (line, 0..) |c, i| {
        if (c >= 32 and c != 127) continue;
        shown = print("{s}{s}\\u{x:0>4}", .{ shown, line[from..i], c });
        from = i + 1;
    }
    return if (from == 0) line else print("{s}{s}", .{ shown, line[from..] });
}

const Try = struct { kind: []const u8, text: []const u8 };
var message: []const u8 = "";
var tries: [3]Try = undefined;
var tries_n: usize = 0;

/// Sets the error message of the op or query: `return fail(…)`.
pub fn fail(text: []const u8) Error {
    message = visible(text);
    tries_n = 0;
    return Error.Refused;
}

fn offer(kind: []const u8, text: []const u8) void {
    if (tries_n == 3) return;
    tries[tries_n] = .{ .kind = kind, .text = text };
    tries_n += 1;
}

/// After fail: suggests an op that would work, or for a refused query a query.
pub fn suggest(op: []const u8) void {
    offer("", op);
}

/// After fail: suggests a query that would help.
pub fn suggestQuery(query: []const u8) void {
    offer("query", query);
}

/// The result of an op: created, connection, changed, deleted, bulk or unchanged, and a sentence.
pub const Reply = struct { kind: []const u8, text: []const u8 };

/// The reply of a verb that may have changed any number of elements.
pub fn done(kind: []const u8, did: []const u8, list: []const Element) Reply {
    if (list.len == 0) return .{ .kind = "unchanged", .text = print("{s}: nothing to change", .{did}) };
    var names = quote(list[0].name);
    if (list.len == 1) return .{ .kind = kind, .text = print("{s} {s}", .{ did, names }) };
    for (list[1..@min(list.len, 8)]) |e| names = print("{s}, {s}", .{ names, quote(e.name) });
    return .{ .kind = "bulk", .text = print("{s} {d} {s}s: {s}{s}", .{ did, list.len, domain.noun, names, if (list.len > 8) ", …" else "" }) };
}

// ---- the document ----

const Event = struct { at: usize, old: []const u8, new: []const u8, id: []const u8, summary: []const u8 };

var doc: List(u8) = .{};
var opened = false;
var events: List(Event) = .{};

/// The document's bytes, valid until the next change.
pub fn document() []const u8 {
    return doc.items();
}

fn splice(at: usize, old: usize, new: []const u8) void {
    if (new.len == old) {
        @memcpy(doc.room[at..][0..old], new);
        return;
    }
    const before = doc.n;
    if (new.len > old) _ = doc.more(new.len - old) else doc.n -= old - new.len;
    const tail = before - at - old;
    const room = doc.room;
    if (new.len > old) {
        std.mem.copyBackwards(u8, room[at + new.len ..][0..tail], room[at + old ..][0..tail]);
    } else {
        std.mem.copyForwards(u8, room[at + new.len ..][0..tail], room[at + old ..][0..tail]);
    }
    @memcpy(room[at..][0..new.len], new);
}

/// Replaces at..end of the document. id is the name of the element that the change touches, summary a line for the history.
pub fn change(at: usize, end: usize, new: []const u8, id: []const u8, summary: []const u8) void {
    const e = Event{ .at = at, .old = keep(document()[at..end]), .new = keep(new), .id = keep(id), .summary = keep(summary) };
    events.add(e);
    splice(at, end - at, e.new);
}

// ---- ops ----

const Param = struct { key: []const u8, value: []const u8 };
const Select = struct { raw: []const u8, name: []const u8, value: []const u8, negated: bool };

/// An op or a query.
pub const Op = struct {
    verb: []const u8,
    words: []const []const u8, // positionals
    params: []const Param,
    selectors: []const Select,

    fn read(v: Value) Op {
        const p = v.field("positionals").list();
        const k = v.field("params").list();
        const s = v.field("selectors").list();
        const words = scratch([]const u8, p.len);
        const params = scratch(Param, k.len);
        const selectors = scratch(Select, s.len);
        for (p, words) |from, *to| to.* = from.field("text").bytes();
        for (k, params) |from, *to| to.* = .{ .key = from.field("key").bytes(), .value = from.field("value").bytes() };
        for (s, selectors) |from, *to| to.* = .{ .raw = from.field("raw").bytes(), .name = from.field("type").bytes(), .value = from.field("value").bytes(), .negated = from.field("negated").int() != 0 };
        return .{ .verb = v.field("verb").bytes(), .words = words, .params = params, .selectors = selectors };
    }

    /// Positional i, from 0, or "".
    pub fn word(op: *const Op, i: usize) []const u8 {
        return if (i < op.words.len) op.words[i] else "";
    }

    /// The value of a key.
    pub fn param(op: *const Op, key: []const u8) ?[]const u8 {
        for (op.params) |p| if (same(p.key, key)) return p.value;
        return null;
    }

    /// Prints the op with word i replaced.
    pub fn with(op: *const Op, i: usize, new: []const u8) []const u8 {
        var line = op.verb;
        for (op.words, 0..) |w, k| line = print("{s} {s}", .{ line, quote(if (k == i) new else w) });
        for (op.params) |p| line = print("{s} {s}:{s}", .{ line, p.key, quote(p.value) });
        for (op.selectors) |s| line = print("{s} {s}", .{ line, s.raw });
        return line;
    }
};

var touched: List([]const u8) = .{}; // oldest first

fn every() []Element {
    var n: usize = 0;
    var at: usize = 0;
    while (domain.next(document(), at)) |e| : (n += 1) at = e.end;
    const list = scratch(Element, n);
    at = 0;
    for (list) |*to| {
        const e = domain.next(document(), at).?;
        at = e.end;
        to.* = .{ .at = e.at, .end = e.end, .name = keep(e.name) };
    }
    return list;
}

/// The elements that an op is about, in document order: what its selectors match, or what its words name, except the last
/// `values` of them. A destructive verb requires exact names: no prefixes.
pub fn targets(op: *const Op, values: usize, exact: bool) Error![]Element {
    const all = every();
    if (op.words.len < values) return fail(print("{s} needs {d} word{s} behind what it is about", .{ op.verb, values, if (values == 1) "" else "s" }));
    const names = op.words.len - values;
    if (op.selectors.len > 0 and names > 0) return fail(print("{s} takes names or selectors, not both", .{op.verb}));
    const marks = scratch(bool, all.len);
    @memset(marks, op.selectors.len > 0);
    for (0..names) |i| marks[try find(op, i, exact, all)] = true;
    const one = scratch(bool, all.len);
    var raw: []const u8 = "";
    for (op.selectors) |s| {
        raw = print("{s} {s}", .{ raw, s.raw });
        try match(s, all, one);
        for (marks, one) |*mark, hit| mark.* = mark.* and hit != s.negated;
    }
    var n: usize = 0;
    for (all, marks) |e, mark| {
        all[n] = e;
        n += @intFromBool(mark);
    }
    return if (n > 0) all[0..n] else fail(print("nothing matches{s}", .{raw}));
}

fn match(s: Select, all: []const Element, one: []bool) Error!void {
    @memset(one, false);
    if (same(s.name, "all")) {
        if (s.value.len > 0) return fail("@all takes no value");
        @memset(one, true);
        return;
    }
    if (same(s.name, "recent")) {
        var left: usize = 1;
        if (s.value.len > 0) left = std.fmt.parseUnsigned(usize, s.value, 10) catch 0;
        if (left == 0) return fail(print("{s}: N is a whole number from 1", .{s.raw}));
        var i = touched.n;
        while (i > 0 and left > 0) {
            i -= 1;
            var k = all.len;
            while (k > 0) {
                k -= 1;
                if (!same(all[k].name, touched.items()[i])) continue;
                if (!one[k]) left -= 1;
                one[k] = true;
                break;
            }
        }
        return;
    }
    for (domain.selectors) |d| {
        if (!same(d.name, s.name)) continue;
        for (all, one) |e, *hit| hit.* = d.matches(document(), e, s.value);
        return;
    }
    return fail(print("unknown selector @{s}", .{s.name}));
}

fn separates(c: u8) bool {
    return c == '-' or c == '_' or c == ' ';
}

/// Compares names: 0 exactly, 1 ignoring case, 2 also ignoring "-", "_" and spaces, 3 whether the first is a prefix.
fn alike(a: []const u8, b: []const u8, level: usize) bool {
    if (level == 0) return same(a, b);
    var i: usize = 0;
    var k: usize = 0;
    while (true) {
        while (level > 1 and i < a.len and separates(a[i])) i += 1;
        while (level > 1 and k < b.len and separates(b[k])) k += 1;
        if (i == a.len) return level == 3 or k == b.len;
        if (k == b.len or std.ascii.toLower(a[i]) != std.ascii.toLower(b[k])) return false;
        i += 1;
        k += 1;
    }
}

/// Finds the element that word i of an op names.
fn find(op: *const Op, i: usize, exact: bool, all: []const Element) Error!usize {
    const name = op.words[i];
    for (0..4) |level| {
        var hits: usize = 0;
        var first: usize = 0;
        for (all, 0..) |e, k| {
            if (name.len == 0 or !alike(name, e.name, level)) continue;
            if (hits == 0) first = k;
            hits += 1;
        }
        const full = exact and level == 3;
        if (hits == 0) continue;
        if (hits == 1 and !full) return first;
        if (level == 0) return fail(print("{d} are called {s}: use a selector", .{ hits, quote(name) }));
        var names: []const u8 = "";
        var mended: [3][]const u8 = undefined;
        var shown: usize = 0;
        var last: []const u8 = "";
        for (all) |e| {
            if (shown == 8 or !alike(name, e.name, level) or (shown > 0 and same(last, e.name))) continue;
            last = e.name;
            if (shown < 3) mended[shown] = op.with(i, last);
            names = print("{s}{s}{s}", .{ names, if (shown > 0) ", " else "", quote(last) });
            shown += 1;
        }
        const refused = fail(if (full)
            print("no {s} is called {s}; give the full name: {s}", .{ domain.noun, quote(name), names })
        else
            print("{s} may be several: {s}", .{ quote(name), names }));
        for (mended[0..@min(shown, 3)]) |m| suggest(m);
        return refused;
    }
    const refused = fail(print("no {s} is called {s}", .{ domain.noun, quote(name) }));
    if (all.len > 0) suggestQuery("map");
    return refused;
}

// ---- MessagePack ----

/// A decoded value. The host never sends a malformed message, so decoding one panics.
const Value = union(enum) {
    nil,
    number: i64,
    string: []const u8,
    array: []const Value,
    map: []const Value, // key, value, …

    fn field(v: Value, key: []const u8) Value {
        if (v != .map) return .nil;
        var i = v.map.len;
        while (i > 0) {
            i -= 2;
            if (same(v.map[i].bytes(), key)) return v.map[i + 1];
        }
        return .nil;
    }

    fn bytes(v: Value) []const u8 {
        return if (v == .string) v.string else "";
    }

    fn int(v: Value) i64 {
        return if (v == .number) v.number else 0;
    }

    fn list(v: Value) []const Value {
        return if (v == .array) v.array else &.{};
    }
};

const Reader = struct {
    rest: []const u8,

    fn take(r: *Reader, n: usize) []const u8 {
        defer r.rest = r.rest[n..];
        return r.rest[0..n];
    }

    fn sized(r: *Reader, n: usize) usize {
        return @intCast(r.unsigned(n));
    }

    fn unsigned(r: *Reader, n: usize) u64 {
        var v: u64 = 0;
        for (r.take(n)) |b| v = v << 8 | b;
        return v;
    }

    fn signed(r: *Reader, n: usize) i64 {
        const shift: u6 = @intCast(64 - 8 * n);
        return @as(i64, @bitCast(r.unsigned(n) << shift)) >> shift;
    }

    fn items(r: *Reader, n: usize) []const Value {
        const list = scratch(Value, n);
        for (list) |*v| v.* = r.value();
        return list;
    }

    fn value(r: *Reader) Value {
        const b = r.take(1)[0];
        return switch (b) {
            0x00...0x7f => .{ .number = b },
            0x80...0x8f => .{ .map = r.items(2 * @as(usize, b & 15)) },
            0x90...0x9f => .{ .array = r.items(b & 15) },
            0xa0...0xbf => .{ .string = r.take(b & 31) },
            0xc2, 0xc3 => .{ .number = b & 1 },
            0xc4...0xc6 => .{ .string = r.take(r.sized(@as(usize, 1) << @intCast(b - 0xc4))) },
            0xcc...0xcf => .{ .number = @bitCast(r.unsigned(@as(usize, 1) << @intCast(b - 0xcc))) },
            0xd0...0xd3 => .{ .number = r.signed(@as(usize, 1) << @intCast(b - 0xd0)) },
            0xd9...0xdb => .{ .string = r.take(r.sized(@as(usize, 1) << @intCast(b - 0xd9))) },
            0xdc, 0xdd => .{ .array = r.items(r.sized(@as(usize, 2) << @intCast(b - 0xdc))) },
            0xde, 0xdf => .{ .map = r.items(2 * r.sized(@as(usize, 2) << @intCast(b - 0xde))) },
            0xe0...0xff => .{ .number = @as(i8, @bitCast(b)) },
            else => .nil, // the protocol has no floats and extensions
        };
    }
};

var out: List(u8) = .{};

fn put(bytes: []const u8) void {
    @memcpy(out.more(bytes.len), bytes);
}

fn number(to: []u8, v: u64) void {
    for (to, 0..) |*b, i| b.* = @truncate(v >> @intCast(8 * (to.len - 1 - i)));
}

fn putSized(kind: u8, n: usize) void {
    out.add(kind);
    number(out.more(4), n);
}

fn putMap(n: usize) void {
    putSized(0xdf, n);
}

fn putList(n: usize) void {
    putSized(0xdd, n);
}

fn putText(t: []const u8) void {
    putSized(0xdb, t.len);
    put(t);
}

fn putBytes(t: []const u8) void {
    putSized(0xc6, t.len);
    put(t);
}

fn putInt(v: i64) void {
    out.add(0xd3);
    number(out.more(8), @bitCast(v));
}

fn pair(key: []const u8, value: []const u8) void {
    putText(key);
    putText(value);
}

fn putState() void {
    putText("state");
    putMap(1);
    pair("digest", domain.digest(document()));
}

// ---- the host ----

const extism = struct {
    extern "extism:host/env" fn input_length() u64;
    extern "extism:host/env" fn alloc(length: u64) u64;
    extern "extism:host/env" fn store_u8(offset: u64, value: u32) void;
    extern "extism:host/env" fn error_set(handle: u64) void;
    extern "extism:host/env" fn log_info(handle: u64) void;
};

const host = struct {
    extern "fcp:host/env" fn input_read(to: [*]u8, length: u32, offset: u32) u32;
    extern "fcp:host/env" fn output_write(from: [*]const u8, length: u32) void;
};

fn toHost(t: []const u8) u64 {
    const block = extism.alloc(t.len);
    for (t, 0..) |b, i| extism.store_u8(block + i, b);
    return block;
}

/// Writes a line to the host's log, which `fcp-host exec` prints.
pub fn log(t: []const u8) void {
    extism.log_info(toHost(t));
}

/// For the root file: a panic writes its message to the host's log.
pub fn panic(why: []const u8, _: ?*std.builtin.StackTrace, _: ?usize) noreturn {
    log(why);
    @trap();
}

fn request() Value {
    _ = arena.reset(.retain_capacity);
    out.n = 0;
    tries_n = 0;
    const in = scratch(u8, @intCast(extism.input_length()));
    if (in.len == 0) return .nil;
    _ = host.input_read(in.ptr, @intCast(in.len), 0);
    var r = Reader{ .rest = in };
    return r.value();
}

fn answer() i32 {
    host.output_write(out.room.ptr, @intCast(out.n));
    return 0;
}

fn refuse() i32 {
    var t = message;
    for (tries[0..tries_n]) |s| t = print("{s}\ntry{s}{s}: {s}", .{ t, if (s.kind.len > 0) " " else "", s.kind, s.text });
    extism.error_set(toHost(t));
    return 1;
}

fn closed() i32 {
    fail("no document is open") catch {};
    return refuse();
}

// ---- the manifest ----

/// A parsed syntax line.
const Syntax = struct {
    params: [12]Param = undefined,
    params_n: usize = 0,
    select: bool = false,
    min: i64 = 0,
    max: i64 = 0,

    fn read(line: []const u8) Syntax {
        var s = Syntax{};
        var optional: usize = 0;
        var i = nameOf(line).len;
        while (i < line.len) {
            switch (line[i]) {
                ' ', '|', '[', ']' => |c| {
                    if (c == '[') optional += 1;
                    if (c == ']') optional -= 1;
                    i += 1;
                    continue;
                },
                else => {},
            }
            const from = i;
            while (i < line.len and line[i] != ' ' and line[i] != '[' and line[i] != ']') i += 1;
            s.word(line[from..i], optional > 0);
        }
        return s;
    }

    fn word(s: *Syntax, w: []const u8, optional: bool) void {
        var colon: usize = 0;
        while (colon < w.len and (std.ascii.isAlphanumeric(w[colon]) or w[colon] == '-' or w[colon] == '_')) colon += 1;
        if (colon > 0 and colon < w.len and w[colon] == ':') {
            s.params[s.params_n] = .{ .key = w[0..colon], .value = w[colon + 1 ..] };
            s.params_n += 1;
            return;
        }
        var positional = false;
        for (w, 0..) |c, k| {
            if (k > 0 and w[k - 1] != '|') continue;
            if (c == '@') s.select = true else positional = true;
        }
        if (!positional) return;
        if (!optional) s.min += 1;
        if (s.max >= 0) s.max += 1;
        if (std.mem.indexOf(u8, w, "…") != null or std.mem.indexOf(u8, w, "...") != null) s.max = -1;
    }

    fn write(s: *const Syntax) void {
        putText("min");
        putInt(s.min);
        putText("max");
        putInt(s.max);
        putText("select");
        out.add(if (s.select) 0xc3 else 0xc2);
        putText("params");
        putList(s.params_n);
        for (s.params[0..s.params_n]) |p| {
            putMap(2);
            pair("key", p.key);
            pair("value", p.value);
        }
    }
};

fn nameOf(syntax: []const u8) []const u8 {
    return syntax[0 .. std.mem.indexOfScalar(u8, syntax, ' ') orelse syntax.len];
}

fn putDescribed(syntax: []const u8, summary: []const u8) void {
    pair("name", nameOf(syntax));
    pair("syntax", syntax);
    pair("summary", summary);
}

// ---- exports ----

export fn fcp_manifest() i32 {
    _ = request();
    putMap(9);
    putText("abi");
    putInt(1);
    pair("domain", domain.name);
    pair("title", domain.title);
    pair("version", domain.version);
    pair("summary", domain.summary);
    putText("extensions");
    putList(1);
    putText(domain.extension);
    putText("verbs");
    putList(domain.verbs.len);
    for (domain.verbs) |v| {
        putMap(8);
        putDescribed(v.syntax, v.summary);
        putText("examples");
        putList(1);
        putText(v.example);
        Syntax.read(v.syntax).write();
    }
    putText("queries");
    putList(domain.queries.len);
    for (domain.queries) |q| {
        putMap(4);
        putDescribed(q.syntax, q.summary);
        putText("takes");
        putMap(4);
        Syntax.read(q.syntax).write();
    }
    putText("selectors");
    putList(domain.selectors.len);
    for (domain.selectors) |s| {
        putMap(3);
        pair("type", s.name);
        pair("syntax", s.syntax);
        pair("summary", s.summary);
    }
    return answer();
}

fn start(new: []const u8) i32 {
    doc.n = 0;
    @memcpy(doc.more(new.len), new);
    opened = true;
    return fcp_answer_state();
}

fn fcp_answer_state() i32 {
    putMap(1);
    putState();
    return answer();
}

export fn fcp_new() i32 {
    return start(domain.create(request().field("title").bytes()) catch return refuse());
}

export fn fcp_open() i32 {
    const data = request().field("data").bytes();
    opened = false;
    domain.check(data) catch return refuse();
    return start(data);
}

export fn fcp_save() i32 {
    _ = request();
    if (!opened) return closed();
    putMap(1);
    putText("data");
    putBytes(document());
    return answer();
}

export fn fcp_state() i32 {
    _ = request();
    if (!opened) return closed();
    return fcp_answer_state();
}

fn run(op: *const Op) Error!Reply {
    events.n = 0;
    for (domain.verbs) |v| {
        if (!same(nameOf(v.syntax), op.verb)) continue;
        const result = v.run(op);
        if (result) |r| {
            if (!same(r.kind, "unchanged") and events.n > 0) return r;
        } else |_| {}
        while (events.n > 0) {
            events.n -= 1;
            const e = events.room[events.n];
            splice(e.at, e.new.len, e.old);
        }
        const r = try result;
        return if (same(r.kind, "unchanged")) r else fail(print("{s} changed nothing", .{op.verb}));
    }
    return fail(print("{s} is no verb of {s}", .{ quote(op.verb), domain.name }));
}

fn putResult(reply: Reply) void {
    putMap(3);
    pair("kind", reply.kind);
    pair("text", reply.text);
    putText("events");
    putList(events.n);
    for (events.items()) |e| {
        putMap(4);
        pair("type", "splice");
        pair("summary", e.summary);
        putText("ids");
        putList(@intFromBool(e.id.len > 0));
        if (e.id.len > 0) {
            putText(e.id);
            touched.add(e.id);
        }
        putText("data");
        putSized(0xc6, 5 + 9 + 5 + e.old.len + 5 + e.new.len);
        putList(3);
        putInt(@intCast(e.at));
        putBytes(e.old);
        putBytes(e.new);
    }
}

fn putError() void {
    putMap(1);
    putText("error");
    putMap(2);
    pair("message", message);
    putText("try");
    putList(tries_n);
    for (tries[0..tries_n]) |t| {
        putMap(2);
        pair("kind", if (t.kind.len > 0) t.kind else "op");
        pair("text", t.text);
    }
}

export fn fcp_apply() i32 {
    const r = request();
    if (!opened) return closed();
    const before = r.field("recent").list();
    touched.n = 0;
    for (0..before.len) |i| touched.add(before[before.len - 1 - i].bytes());
    putMap(2);
    putText("results");
    putList(0);
    const mark = out.n;
    var n: u64 = 0;
    for (r.field("ops").list()) |v| {
        n += 1;
        const op = Op.read(v);
        if (run(&op)) |reply| {
            putResult(reply);
        } else |_| {
            putError();
            if (r.field("each").int() == 0) break;
        }
    }
    number(out.room[mark - 4 ..][0..4], n);
    putState();
    return answer();
}

fn again(reverse: bool) i32 {
    const list = request().field("events").list();
    if (!opened) return closed();
    for (list) |v| {
        var r = Reader{ .rest = v.field("data").bytes() };
        const parts = r.value().list();
        const at: usize = @intCast(parts[0].int());
        const old = parts[if (reverse) 2 else 1].bytes();
        const new = parts[if (reverse) 1 else 2].bytes();
        if (at + old.len > doc.n or !same(document()[at..][0..old.len], old)) {
            fail("an event does not fit the document") catch {};
            return refuse();
        }
        splice(at, old.len, new);
    }
    return fcp_answer_state();
}

export fn fcp_reverse() i32 {
    return again(true);
}

export fn fcp_replay() i32 {
    return again(false);
}

export fn fcp_query() i32 {
    const op = Op.read(request().field("query"));
    if (!opened) return closed();
    for (domain.queries) |q| {
        if (!same(nameOf(q.syntax), op.verb)) continue;
        const t = q.run(&op) catch return refuse();
        putMap(1);
        pair("text", t);
        return answer();
    }
    fail(print("{s} is no query of {s}", .{ quote(op.verb), domain.name })) catch {};
    return refuse();
}
