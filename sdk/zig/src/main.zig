//! The todo domain edits checklists: "- [ ] text" is an open task, "- [x] text" a done one, and every other line of the file is
//! kept as it is.

const std = @import("std");
const fcp = @import("fcp.zig");

comptime {
    _ = fcp; // its exports
}
pub const panic = fcp.panic;

/// Maximum bytes of a new task: its text is its id, and the host limits ids to 256 bytes.
const most = 150;

// ---- parsing the file ----

fn oneLine(text: []const u8) bool {
    for (text) |c| if (c < 32) return false;
    return text.len <= most;
}

fn create(title: []const u8) fcp.Error![]const u8 {
    if (!oneLine(title)) return fcp.fail(fcp.print("a title is one line of at most {d} bytes", .{most}));
    return fcp.print("# {s}\n", .{title});
}

fn check(text: []const u8) fcp.Error!void {
    if (!std.unicode.utf8ValidateSlice(text)) return fcp.fail("not a checklist: the file is not UTF-8 text");
}

fn next(text: []const u8, from: usize) ?fcp.Element {
    var at = from;
    while (at < text.len) {
        if (at > 0 and text[at - 1] != '\n') {
            at += 1;
            continue;
        }
        const stop = std.mem.indexOfScalarPos(u8, text, at, '\n') orelse text.len;
        const end = if (stop > at and text[stop - 1] == '\r') stop - 1 else stop;
        const line = text[at..end];
        if (line.len < 200 and (std.mem.startsWith(u8, line, "- [ ] ") or std.mem.startsWith(u8, line, "- [x] ")))
            return .{ .at = at, .end = end, .name = line[6..] };
        at = stop + 1;
    }
    return null;
}

fn isDone(text: []const u8, task: fcp.Element, value: []const u8) bool {
    return value.len == 0 and text[task.at + 3] == 'x';
}

fn digest(text: []const u8) []const u8 {
    var tasks: usize = 0;
    var done: usize = 0;
    var at: usize = 0;
    while (next(text, at)) |t| : (at = t.end) {
        tasks += 1;
        done += @intFromBool(isDone(text, t, ""));
    }
    return fcp.print("{d} tasks {d} done {d} lines", .{ tasks, done, std.mem.count(u8, text, "\n") + 1 });
}

// ---- verbs ----

fn add(op: *const fcp.Op) fcp.Error!fcp.Reply {
    const task = op.word(0);
    const text = fcp.document();
    if (task.len == 0 or !oneLine(task)) return fcp.fail(fcp.print("a task is one line of 1 to {d} bytes", .{most}));
    const first = std.mem.indexOfScalar(u8, text, '\n') orelse 0;
    const ending = if (first > 0 and text[first - 1] == '\r') "\r\n" else "\n"; // the file's line ending
    var at = text.len;
    var from: usize = 0;
    var nth = op.paramInt("at", 0);
    while (nth > 0) : (nth -= 1) { // before this task
        const t = next(text, from) orelse break;
        from = t.end;
        if (nth == 1) at = t.at;
    }
    const mark = if (fcp.same(op.param("box") orelse "", "done")) "x" else " ";
    const whole = at == 0 or text[at - 1] == '\n';
    const line = if (whole) fcp.print("- [{s}] {s}{s}", .{ mark, task, ending }) else fcp.print("{s}- [{s}] {s}", .{ ending, mark, task });
    const id = fcp.idAt(task, at);
    fcp.change(at, at, line, id, "add");
    return .{ .kind = "created", .text = fcp.quote(id) };
}

/// Sets the check boxes of tasks, in one event.
fn tick(op: *const fcp.Op, mark: []const u8) fcp.Error!fcp.Reply {
    const tasks = try fcp.targets(op, 0, false);
    const splices = fcp.scratch(fcp.Splice, tasks.len);
    var changed: usize = 0;
    for (tasks) |t| {
        const old = fcp.document()[t.at + 3 ..][0..1];
        if (fcp.same(old, mark)) continue;
        splices[changed] = .{ .at = t.at + 3, .old = old, .new = mark, .id = t.id };
        tasks[changed] = t;
        changed += 1;
    }
    fcp.changeAll(splices[0..changed], op.verb);
    return fcp.done("changed", op.verb, tasks[0..changed]);
}

fn tickDone(op: *const fcp.Op) fcp.Error!fcp.Reply {
    return tick(op, "x");
}

fn tickOpen(op: *const fcp.Op) fcp.Error!fcp.Reply {
    return tick(op, " ");
}

/// Removes lines with their line breaks; at the end of a file without one, with those before them.
fn remove(op: *const fcp.Op) fcp.Error!fcp.Reply {
    const tasks = try fcp.targets(op, 0, true);
    const splices = fcp.scratch(fcp.Splice, tasks.len);
    const text = fcp.document();
    var stop = text.len; // from here on nothing stays
    var i = tasks.len;
    while (i > 0) {
        i -= 1;
        var at = tasks[i].at;
        var end = tasks[i].end;
        if (end == stop) {
            at -= if (at > 1 and text[at - 2] == '\r') 2 else @min(at, 1);
            stop = at;
        } else {
            end = std.mem.indexOfScalarPos(u8, text, end, '\n').? + 1;
        }
        splices[i] = .{ .at = at, .old = text[at..end], .new = "", .id = tasks[i].id };
    }
    fcp.changeAll(splices, "remove");
    return fcp.done("deleted", "remove", tasks);
}

// ---- queries ----

fn show(_: *const fcp.Op) fcp.Error![]const u8 {
    return fcp.document();
}

fn stats(_: *const fcp.Op) fcp.Error![]const u8 {
    return digest(fcp.document());
}

// ---- the domain ----

pub const domain = fcp.Domain{
    .name = "todo",
    .title = "Checklist",
    .version = "0.1.0",
    .summary = "checklists in plain text",
    .extension = ".todo",
    .noun = "task",
    .create = create,
    .check = check,
    .next = next,
    .digest = digest,
    .verbs = &.{
        .{ .syntax = "add TEXT [at:1-9999] [box:open|done]", .summary = "add a task, at the end or as the n-th", .example = "add \"Buy milk\"", .run = add },
        .{ .syntax = "done TASK…|@SEL", .summary = "mark as done", .example = "done @all", .run = tickDone },
        .{ .syntax = "reopen TASK…|@SEL", .summary = "mark as open", .example = "reopen @done", .run = tickOpen },
        .{ .syntax = "remove TASK…|@SEL", .summary = "take out", .example = "remove @done", .run = remove },
    },
    .queries = &.{
        .{ .syntax = "list", .summary = "every line", .run = show },
        .{ .syntax = "map", .summary = "every line", .run = show },
        .{ .syntax = "stats", .summary = "how many tasks, how many done", .run = stats },
    },
    .selectors = &.{
        .{ .name = "done", .syntax = "@done", .summary = "tasks that are done", .matches = isDone },
    },
};
