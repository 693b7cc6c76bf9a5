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
    const whole = text.len == 0 or text[text.len - 1] == '\n';
    const line = if (whole) fcp.print("- [ ] {s}{s}", .{ task, ending }) else fcp.print("{s}- [ ] {s}", .{ ending, task });
    fcp.change(text.len, text.len, line, task, fcp.print("add {s}", .{fcp.quote(task)}));
    return .{ .kind = "created", .text = fcp.quote(task) };
}

/// Sets the check boxes of tasks.
fn tick(op: *const fcp.Op, mark: u8) fcp.Error!fcp.Reply {
    const tasks = try fcp.targets(op, 0, false);
    var changed: usize = 0;
    for (tasks) |t| {
        if (fcp.document()[t.at + 3] == mark) continue;
        fcp.change(t.at + 3, t.at + 4, &.{mark}, t.name, fcp.print("{s} {s}", .{ op.verb, fcp.quote(t.name) }));
        tasks[changed] = t;
        changed += 1;
    }
    return fcp.done("changed", op.verb, tasks[0..changed]);
}

fn tickDone(op: *const fcp.Op) fcp.Error!fcp.Reply {
    return tick(op, 'x');
}

fn tickOpen(op: *const fcp.Op) fcp.Error!fcp.Reply {
    return tick(op, ' ');
}

fn remove(op: *const fcp.Op) fcp.Error!fcp.Reply {
    const tasks = try fcp.targets(op, 0, true);
    var i = tasks.len;
    while (i > 0) { // from the end, so that earlier offsets stay valid
        i -= 1;
        const t = tasks[i];
        const text = fcp.document();
        var at = t.at;
        const stop = std.mem.indexOfScalarPos(u8, text, t.end, '\n');
        if (stop == null and at > 0) at -= if (at > 1 and text[at - 2] == '\r') 2 else 1; // the last line is removed with the line break before it
        fcp.change(at, if (stop) |s| s + 1 else text.len, "", t.name, fcp.print("remove {s}", .{fcp.quote(t.name)}));
    }
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
        .{ .syntax = "add TEXT", .summary = "add an open task", .example = "add \"Buy milk\"", .run = add },
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
