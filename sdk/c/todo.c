// The todo domain edits checklists: "- [ ] text" is an open task, "- [x] text" a done one, and every other line of the file
// stays as it is.
#include "fcp.h"

#define MOST 150 // maximum bytes of a new task: its text is its id, and the host limits ids to 256 bytes

// ---- parsing the file ----

static Text create(Text title) {
  if (title.n > MOST) return FAIL("a title has at most %d bytes", MOST), (Text){0, 0};
  for (u32 i = 0; i < title.n; i++)
    if (title.p[i] < 32) return FAIL("a title is one line"), (Text){0, 0};
  return format("# %t\n", title);
}

static int check(Text text) { return is_utf8(text) || FAIL("not a checklist: the file is not UTF-8 text"); }

// next finds the next task: its line without the line break.
static int next(Element *e) {
  u32 at = e->at + e->n;
  while (at < doc.n) {
    if (at && doc.p[at - 1] != '\n') {
      at++;
      continue;
    }
    u32 end = at;
    while (end < doc.n && doc.p[end] != '\n') end++;
    if (end > at && doc.p[end - 1] == '\r') end--;
    Text line = {doc.p + at, end - at};
    if (line.n < 200 && (starts(line, T("- [ ] ")) || starts(line, T("- [x] ")))) {
      *e = (Element){.at = at, .n = line.n, .name = {line.p + 6, line.n - 6}};
      return 1;
    }
    at = end + 1;
  }
  return 0;
}

static int is_done(const Element *e, Text value) { return !value.n && doc.p[e->at + 3] == 'x'; }

static Text digest(void) {
  int tasks = 0, done = 0, lines = 1;
  for (Element e = {0}; next(&e); tasks++) done += is_done(&e, T(""));
  for (u32 i = 0; i < doc.n; i++) lines += doc.p[i] == '\n';
  return format("%d tasks %d done %d lines", tasks, done, lines);
}

// ---- verbs ----

// break_of returns the line ending of the document.
static Text break_of(void) {
  for (u32 i = 0; i < doc.n; i++)
    if (doc.p[i] == '\n') return i && doc.p[i - 1] == '\r' ? T("\r\n") : T("\n");
  return T("\n");
}

static int add(const Op *op) {
  Text text = word(op, 0);
  for (u32 i = 0; i < text.n; i++)
    if (text.p[i] < 32) return FAIL("a task is one line");
  if (!text.n || text.n > MOST) return FAIL("a task has 1 to %d bytes", MOST);
  u32 at = doc.n;
  Element e = {0};
  for (i64 n = param_int(op, "at", 0); n > 0; n--)
    if (!next(&e)) n = 0;
    else if (n == 1) at = e.at; // before the n-th task
  int whole = at < doc.n || !doc.n || doc.p[doc.n - 1] == '\n'; // the line before ends with a line break
  Text box = same(param(op, "box"), T("done")) ? T("- [x] ") : T("- [ ] "), id = id_at(text, at);
  Text line = whole ? format("%t%t%t", box, text, break_of()) : format("%t%t%t", break_of(), box, text);
  change(at, 0, line, id, "add");
  return reply("created", format("%q", id));
}

// tick sets the check boxes of tasks, in one event.
static int tick(const Op *op, const char *did, Text box) {
  u32 n, changed = 0;
  Element *tasks = targets(op, 0, 0, &n);
  if (!tasks) return 0;
  Splice *splices = scratch(n * sizeof(Splice));
  for (u32 i = 0; i < n; i++) {
    if (doc.p[tasks[i].at + 3] == box.p[0]) continue;
    splices[changed] = (Splice){tasks[i].at + 3, {doc.p + tasks[i].at + 3, 1}, box, tasks[i].id};
    tasks[changed++] = tasks[i];
  }
  change_all(splices, changed, did);
  return done("changed", did, tasks, changed);
}

static int tick_done(const Op *op) { return tick(op, "done", T("x")); }
static int tick_open(const Op *op) { return tick(op, "reopen", T(" ")); }

// remove_tasks removes lines with their line breaks; at the end of a file without one, with those before them.
static int remove_tasks(const Op *op) {
  u32 n, stop = doc.n; // from here on nothing stays
  Element *tasks = targets(op, 0, 1, &n);
  if (!tasks) return 0;
  Splice *splices = scratch(n * sizeof(Splice));
  for (u32 i = n; i--;) {
    u32 at = tasks[i].at, end = at + tasks[i].n;
    if (end == stop) stop = at -= at > 1 && doc.p[at - 2] == '\r' ? 2 : at > 0;
    else while (doc.p[end++] != '\n') {}
    splices[i] = (Splice){at, {doc.p + at, end - at}, T(""), tasks[i].id};
  }
  change_all(splices, n, "remove");
  return done("deleted", "remove", tasks, n);
}

// ---- queries ----

static int show(const Op *op) {
  (void)op;
  print("%t", document());
  return 1;
}

static int stats(const Op *op) {
  (void)op;
  print("%t", digest());
  return 1;
}

// ---- the domain ----

static const Verb verbs[] = {
    {"add TEXT [at:1-9999] [box:open|done]", "add a task, at the end or as the n-th", "add \"Buy milk\"", add},
    {"done TASK…|@SEL", "mark as done", "done @all", tick_done},
    {"reopen TASK…|@SEL", "mark as open", "reopen @done", tick_open},
    {"remove TASK…|@SEL", "take out", "remove @done", remove_tasks},
    {0},
};

static const Query queries[] = {
    {"list", "every line", show},
    {"map", "every line", show},
    {"stats", "how many tasks, how many done", stats},
    {0},
};

static const Selector selectors[] = {
    {"done", "@done", "tasks that are done", is_done},
    {0},
};

static const Domain domain = {
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
    .verbs = verbs,
    .queries = queries,
    .selectors = selectors,
};
