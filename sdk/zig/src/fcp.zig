//! The SDK for fcp-host domains in Zig: one file.
//!
//! The model is the file's text. Every change is a splice of it (`change`), and the splice is the event: undo, redo, recovery
//! and the rollback of a failed op follow from that, and what no op names keeps its bytes. A domain is a root file with
//! `pub const domain`, and `comptime { _ = fcp; }`.
//!
//! Over 400 lines: an SDK is one file, which a domain copies instead of using a package registry.

const std = @import("std");
const domain: Domain = @import("root").domain;

/// An element that ops name: the bytes at..end of the document, and its name. The SDK sets its id, by which ops and the history name
/// it: its name, or name#2 for the second of several with this name.
pub const Element = struct { at: usize, end: usize, name: []const u8, id: []const u8 = "" };

/// The error that a function returns after fail.
pub const Error = error{Refused};

/// A domain. The syntax of verbs, queries and selectors describes them; from it the SDK derives what the host checks. Words
/// after the name are positionals, key:VALUE is a parameter, [ ] encloses optional parts, … follows a word that may be
/// repeated, and SEL or @SEL, also as in TASK|@SEL, means that selectors may replace names. VALUE says what the SDK accepts before
/// run is called: 1-9 a whole number, 0.5-2 or N a number, X,Y a point, WxH a size, open|done one of these; anything else is a text.
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

        fn put(self: *Self, list: []const Item) void {
            @memcpy(self.more(list.len), list);
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
        if (!(c >= 0x80 or std.ascii.isAlphanumeric(c) or c == '_') and !(i > 0 and (c == '-' or c == '.' or c == '#'))) bare = false;
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
    var names = quote(list[0].id);
    if (list.len == 1) return .{ .kind = kind, .text = print("{s} {s}", .{ did, names }) };
    for (list[1..@min(list.len, 8)]) |e| names = print("{s}, {s}", .{ names, quote(e.id) });
    return .{ .kind = "bulk", .text = print("{s} {d} {s}s: {s}{s}", .{ did, list.len, domain.noun, names, if (list.len > 8) ", …" else "" }) };
}

// ---- the document ----

/// A change of the document: new for the text old at `at`. id is the id of the element that it touches.
pub const Splice = struct { at: usize, old: []const u8, new: []const u8, id: []const u8 = "" };

const Event = struct { splices: []const Splice, summary: []const u8 };

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

var next: List(u8) = .{};

/// Makes or reverses the splices of an event. If they do not fit the document, it returns false and changes nothing.
fn spliceAll(list: []const Splice, reverse: bool) bool {
    var at: usize = 0; // how far the document is copied
    next.n = 0;
    for (list) |s| {
        const old = if (reverse) s.new else s.old;
        const new = if (reverse) s.old else s.new;
        const made = if (reverse) next.n else at;
        if (s.at < made or s.at - made > doc.n - at) return false;
        const from = at + s.at - made;
        if (old.len > doc.n - from or !same(document()[from..][0..old.len], old)) return false;
        if (list.len == 1) {
            splice(from, old.len, new);
            return true;
        }
        next.put(document()[at..from]);
        next.put(new);
        at = from + old.len;
    }
    next.put(document()[at..]);
    std.mem.swap(List(u8), &doc, &next);
    return true;
}

/// Makes splices as one event. Their places are those in the document before all of them, in order, and do not overlap. The
/// history says what it did, and to which element or how many.
pub fn changeAll(list: []const Splice, did: []const u8) void {
    if (list.len == 0) return;
    const own = scratch(Splice, list.len);
    for (list, own) |s, *to| to.* = .{ .at = s.at, .old = keep(s.old), .new = keep(s.new), .id = keep(s.id) };
    events.add(.{ .splices = own, .summary = if (own.len == 1) print("{s} {s}", .{ did, quote(own[0].id) }) else print("{s} {d} {s}s", .{ did, own.len, domain.noun }) });
    if (!spliceAll(own, false)) @panic("splices overlap, or do not fit the document");
}

/// Makes one splice: new for at..end.
pub fn change(at: usize, end: usize, new: []const u8, id: []const u8, did: []const u8) void {
    changeAll(&.{.{ .at = at, .old = document()[at..end], .new = new, .id = id }}, did);
}

// ---- values: what a syntax line shows for a key is the type of its values ----

const Number = struct { v: f64, written: []const u8, rest: []const u8 };

/// Cuts a decimal number off the start of a text.
fn takeNumber(text: []const u8) ?Number {
    var i: usize = if (text.len > 0 and (text[0] == '-' or text[0] == '+')) 1 else 0;
    var v: f64 = 0;
    var unit: f64 = 1;
    var digits: usize = 0;
    var point = false;
    while (i < text.len) : (i += 1) {
        if (text[i] == '.' and !point) {
            point = true;
        } else if (std.ascii.isDigit(text[i])) {
            v = v * 10 + @as(f64, @floatFromInt(text[i] - '0'));
            if (point) unit *= 10;
            digits += 1;
        } else break;
    }
    if (digits == 0 or digits > 30) return null;
    return .{ .v = (if (text[0] == '-') -v else v) / unit, .written = text[0..i], .rest = text[i..] };
}

/// The value of a key whose type is X,Y or WxH.
pub const Pair = struct { a: f64, b: f64, gap: []const u8, near: []const u8 };

/// Reads two numbers with a gap between them; near joins them as sep does.
fn takePair(text: []const u8, sep: []const u8) ?Pair {
    const a = takeNumber(text) orelse return null;
    const gap = a.rest[0 .. std.mem.indexOfAny(u8, a.rest, "+-.0123456789") orelse return null];
    const b = takeNumber(a.rest[gap.len..]) orelse return null;
    if (gap.len == 0 or b.rest.len > 0) return null;
    return .{ .a = a.v, .b = b.v, .gap = gap, .near = print("{s}{s}{s}", .{ a.written, sep, b.written }) };
}

const Fit = struct { value: ?[]const u8 = null, why: []const u8 = "", near: ?[]const u8 = null };

/// Checks a value against one form of a syntax line, and gives a word the spelling of that line. Without a value, why says what the
/// form takes, and near may be the nearest value.
fn accept(form: []const u8, value: []const u8) Fit {
    const point = same(form, "X,Y");
    if (point or same(form, "WxH")) {
        const why = if (point) "is not a point X,Y, such as 200,120" else "is not a size WxH, such as 140x60";
        const sep = if (point) "," else "x";
        const p = takePair(value, sep) orelse return .{ .why = why };
        if (!point and @min(p.a, p.b) < 0) return .{ .why = why };
        return .{ .value = if (std.ascii.eqlIgnoreCase(p.gap, sep)) value else null, .why = why, .near = p.near };
    }
    var n = takeNumber(value);
    if (n != null and n.?.rest.len > 0) n = null;
    if (same(form, "N")) return .{ .value = if (n != null) value else null, .why = "is not a number" };
    range: {
        const low = takeNumber(form) orelse break :range;
        if (low.rest.len < 2 or low.rest[0] != '-') break :range;
        const high = takeNumber(low.rest[1..]) orelse break :range;
        if (high.rest.len > 0) break :range;
        const whole = std.mem.indexOfScalar(u8, form, '.') == null;
        const why = print("is not a {s} from {s} to {s}", .{ if (whole) "whole number" else "number", low.written, high.written });
        const v = n orelse return .{ .why = why };
        if (whole and std.mem.indexOfScalar(u8, value, '.') != null) return .{ .why = why };
        if (low.v <= v.v and v.v <= high.v) return .{ .value = value };
        return .{ .why = why, .near = if (v.v < low.v) low.written else high.written };
    }
    if (form.len == 0 or !std.ascii.isLower(form[0])) return .{ .value = value }; // a text
    if (alike(value, form, 2)) return .{ .value = form };
    const begins = value.len > 0 and alike(value[0..1], form, 3);
    return .{ .why = print("is not one of {s}", .{form}), .near = if (begins) form else null };
}

/// Refuses an op with a value that is not of its key's type.
fn checkParams(op: *const Op, syntax: []const u8) Error!void {
    if (op.params.len == 0) return;
    const s = Syntax.read(syntax);
    for (op.params) |*p| {
        const takes = for (s.params[0..s.params_n]) |d| {
            if (same(d.key, p.key)) break d.value;
        } else continue;
        var forms = std.mem.splitScalar(u8, takes, '|');
        var list: []const u8 = "";
        var near: ?[]const u8 = null;
        p.value = while (forms.next()) |form| {
            const fit = accept(form, p.value);
            if (fit.value) |v| break v;
            near = fit.near orelse near;
            list = if (same(form, takes)) fit.why else print("{s} {s}", .{ if (list.len > 0) list else "is not one of", form });
        } else {
            const refused = fail(print("{s}:{s} {s}", .{ p.key, p.value, list }));
            if (near) |v| {
                p.value = v;
                suggest(op.written());
            }
            return refused;
        };
    }
}

// ---- ops ----// ---- ops ----

const Param = struct { key: []const u8, value: []const u8 };
const Select = struct { raw: []const u8, name: []const u8, value: []const u8, negated: bool };

/// An op or a query.
pub const Op = struct {
    verb: []const u8,
    words: [][]const u8, // positionals
    params: []Param,
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

    /// The value of a key whose type is a number, or otherwise if the op does not have it.
    pub fn paramNumber(op: *const Op, key: []const u8, otherwise: f64) f64 {
        return if (takeNumber(op.param(key) orelse "")) |n| n.v else otherwise;
    }

    pub fn paramInt(op: *const Op, key: []const u8, otherwise: i64) i64 {
        return @intFromFloat(op.paramNumber(key, @floatFromInt(otherwise)));
    }

    /// The value of a key whose type is X,Y or WxH.
    pub fn paramPair(op: *const Op, key: []const u8) ?Pair {
        return takePair(op.param(key) orelse "", "");
    }

    /// Prints the op with word i replaced.
    pub fn with(op: *const Op, i: usize, new: []const u8) []const u8 {
        const was = op.words[i];
        defer op.words[i] = was;
        op.words[i] = new;
        return op.written();
    }

    fn written(op: *const Op) []const u8 {
        var line = op.verb;
        for (op.words) |w| line = print("{s} {s}", .{ line, quote(w) });
        for (op.params) |p| line = print("{s} {s}:{s}", .{ line, p.key, quote(p.value) });
        for (op.selectors) |s| line = print("{s} {s}", .{ line, s.raw });
        return line;
    }
};

var touched: List([]const u8) = .{}; // oldest first

/// The indexes of elements by name, of the first with it, and by id.
var places: std.StringHashMap(usize) = undefined;

/// The elements with their ids.
fn every() []Element {
    var n: usize = 0;
    var at: usize = 0;
    while (domain.next(document(), at)) |e| : (n += 1) at = e.end;
    const list = scratch(Element, n);
    const first = scratch(usize, n);
    const twins = scratch(usize, n); // of the first with a name: how many have it, then how many have their number
    places = std.StringHashMap(usize).init(arena.allocator());
    at = 0;
    for (list, 0..) |*to, i| {
        const e = domain.next(document(), at).?;
        at = e.end;
        to.* = .{ .at = e.at, .end = e.end, .name = keep(e.name) };
        to.id = to.name;
        first[i] = (places.getOrPutValue(to.name, i) catch @panic("out of memory")).value_ptr.*;
        if (first[i] == i) twins[i] = 0;
        twins[first[i]] += 1;
    }
    for (list, first, 0..) |*e, f, i| {
        if (f == i and twins[i] == 1) continue;
        if (f == i) twins[i] = 0;
        while (same(e.id, e.name) or places.contains(e.id)) { // or another element has this name
            twins[f] += 1;
            e.id = print("{s}#{d}", .{ e.name, twins[f] });
        }
        places.put(e.id, i) catch @panic("out of memory");
    }
    return list;
}

/// The id that a new element with this name gets if it is inserted at a place of the document.
pub fn idAt(name: []const u8, at: usize) []const u8 {
    var twins: usize = 0;
    var before: usize = 0;
    var from: usize = 0;
    while (domain.next(document(), from)) |e| : (from = e.end) {
        if (!same(e.name, name)) continue;
        twins += 1;
        if (e.at < at) before += 1;
    }
    return if (twins == 0) name else print("{s}#{d}", .{ name, before + 1 });
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
            const k = places.get(touched.items()[i]) orelse continue;
            if (!one[k]) left -= 1;
            one[k] = true;
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

/// Whether a reference names an element, at a level of alike.
fn isCalled(e: Element, ref: []const u8, level: usize) bool {
    return ref.len > 0 and (alike(ref, e.name, level) or (e.id.ptr != e.name.ptr and alike(ref, e.id, level)));
}

/// Finds the element that word i of an op names.
fn find(op: *const Op, i: usize, exact: bool, all: []const Element) Error!usize {
    const name = op.words[i];
    if (places.get(name)) |k| if (name.len > 0 and same(all[k].id, name)) return k;
    for (0..4) |level| {
        var hits: usize = 0;
        var first: usize = 0;
        for (all, 0..) |e, k| {
            if (!isCalled(e, name, level)) continue;
            if (hits == 0) first = k;
            hits += 1;
        }
        const full = exact and level == 3;
        if (hits == 0) continue;
        if (hits == 1 and !full) return first;
        var names: []const u8 = "";
        var mended: [3][]const u8 = undefined;
        var shown: usize = 0;
        for (all) |e| {
            if (shown == 8 or !isCalled(e, name, level)) continue;
            if (shown < 3) mended[shown] = op.with(i, e.id);
            names = print("{s}{s}{s}", .{ names, if (shown > 0) ", " else "", quote(e.id) });
            shown += 1;
        }
        const why = if (full) "not found; give the full name" else "is ambiguous";
        const refused = fail(print("{s} \"{s}\" {s}: {s}{s}", .{ domain.noun, name, why, names, if (hits > 8) ", …" else "" }));
        for (mended[0..@min(shown, 3)]) |m| suggest(m);
        return refused;
    }
    const refused = fail(print("{s} \"{s}\" not found", .{ domain.noun, name }));
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
    out.put(t);
}

fn putBytes(t: []const u8) void {
    putSized(0xc6, t.len);
    out.put(t);
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
            const part = w[k .. std.mem.indexOfScalarPos(u8, w, k, '|') orelse w.len];
            if (c == '@' or same(part, "SEL") or same(part, "SEL…")) s.select = true else positional = true;
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
        const result = if (checkParams(op, v.syntax)) |_| v.run(op) else |e| e;
        if (result) |r| {
            if (!same(r.kind, "unchanged") and events.n > 0) return r;
        } else |_| {}
        while (events.n > 0) : (events.n -= 1) _ = spliceAll(events.room[events.n - 1].splices, true);
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
        var ids: usize = 0;
        var size: usize = 5;
        for (e.splices) |s| {
            ids += @intFromBool(s.id.len > 0);
            size += 9 + 5 + s.old.len + 5 + s.new.len;
        }
        putList(ids);
        for (e.splices) |s| {
            if (s.id.len == 0) continue;
            putText(s.id);
            touched.add(s.id);
        }
        putText("data");
        putSized(0xc6, size);
        putList(3 * e.splices.len);
        for (e.splices) |s| {
            putInt(@intCast(s.at));
            putBytes(s.old);
            putBytes(s.new);
        }
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
        const splices = scratch(Splice, parts.len / 3);
        for (splices, 0..) |*s, k| s.* = .{ .at = @intCast(parts[3 * k].int()), .old = parts[3 * k + 1].bytes(), .new = parts[3 * k + 2].bytes() };
        if (splices.len == 0 or !spliceAll(splices, reverse)) {
            fail("an event does not fit the document") catch {};
            return refuse();
        }
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
        checkParams(&op, q.syntax) catch return refuse();
        const t = q.run(&op) catch return refuse();
        putMap(1);
        pair("text", t);
        return answer();
    }
    fail(print("{s} is no query of {s}", .{ quote(op.verb), domain.name })) catch {};
    return refuse();
}
