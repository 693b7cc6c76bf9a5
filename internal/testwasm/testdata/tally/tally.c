// tally: an fcp-host domain in C without any library. It was written from docs/abi.md alone, and shows that this is possible.
//
//   clang --target=wasm32 -std=c11 -O2 -nostdlib -fno-builtin -mbulk-memory -Wl,--no-entry -Wl,--stack-first -o tally.wasm tally.c
//
// A .tally file is UTF-8 text. A line is blank, or a comment that starts with #, or a name, blanks, and a count. Names are unique
// and may contain blanks. The model is the file's bytes: each change is a splice, and all other bytes stay the same. The event is
// the splice: its offset, the old bytes and the new ones.
//
// Over 400 lines: it is the example of a whole domain in one file, to be read from top to bottom beside docs/abi.md.

#include "fcp.h"

#define DOC_MAX 16384 // bytes of a document: opening one compares every pair of its names
#define NAME_MAX 200  // bytes of a name, which is also an id: the host accepts up to 256
#define DIGITS 12     // of a count, so that no sum of counts overflows
#define OPS_MAX 10000 // the host's MaxOps

// ---- the document ----

static u8 doc[DOC_MAX];
static u32 doc_n;
static int opened;
static int waiting; // the query shared made a request, and fcp_resume was not called yet

// Row is a line of the document, as offsets in it: the line starts at at, the next one at next; the count is digits..end.
typedef struct {
  u32 at, end, next, digits;
  Text name; // empty for a blank line, a comment, and an invalid line
  i64 count;
  int wrong;
} Row;

// has_bom reports whether a text starts with a byte order mark, which is not part of the first line.
static int has_bom(Text t) { return t.n >= 3 && t.p[0] == 0xef && t.p[1] == 0xbb && t.p[2] == 0xbf; }

static int blank(u8 b) { return b == ' ' || b == '\t'; }

// parse_int reads an optional minus and up to DIGITS digits.
static int parse_int(Text t, i64 *v) {
  u32 i = t.n && t.p[0] == '-';
  if (t.n - i < 1 || t.n - i > DIGITS) return 0;
  *v = 0;
  for (u32 k = i; k < t.n; k++) {
    if (t.p[k] < '0' || t.p[k] > '9') return 0;
    *v = *v * 10 + (t.p[k] - '0');
  }
  if (i) *v = -*v;
  return 1;
}

// next_row reads the line at r->next. It returns 0 after the last line.
static int next_row(Row *r) {
  u32 at = r->next;
  if (at == 0 && has_bom((Text){doc, doc_n})) at = 3;
  if (at >= doc_n) return 0;
  u32 stop = at;
  while (stop < doc_n && doc[stop] != '\n') stop++;
  *r = (Row){.at = at, .next = stop < doc_n ? stop + 1 : stop};
  if (stop < doc_n && stop > at && doc[stop - 1] == '\r') stop--;
  r->end = stop;
  while (at < stop && blank(doc[at])) at++;
  while (stop > at && blank(doc[stop - 1])) stop--;
  if (at == stop || doc[at] == '#') return 1;
  u32 gap = stop;
  while (gap > at && !blank(doc[gap - 1])) gap--;
  r->digits = gap;
  r->end = stop;
  r->wrong = !parse_int((Text){doc + gap, stop - gap}, &r->count);
  while (gap > at && blank(doc[gap - 1])) gap--;
  if (gap == at || gap - at > NAME_MAX) r->wrong = 1;
  for (u32 i = at; i < gap; i++)
    if (doc[i] == '\r') r->wrong = 1;
  if (!r->wrong) r->name = (Text){doc + at, gap - at};
  return 1;
}

// next_entry reads the next line that has a name.
static int next_entry(Row *r) {
  while (next_row(r))
    if (r->name.n) return 1;
  return 0;
}

static int fits(u32 old, u32 new) { return doc_n - old + new <= DOC_MAX || FAIL("the document would be larger than %d bytes", (i64)DOC_MAX); }

static void splice(u32 at, u32 old, Text new) {
  __builtin_memmove(doc + at + new.n, doc + at + old, doc_n - at - old);
  __builtin_memcpy(doc + at, new.p, new.n);
  doc_n = doc_n - old + new.n;
}

// utf8 reports whether a text is UTF-8 without control characters other than tabs and line ends.
static int utf8(Text t) {
  for (u32 i = 0; i < t.n;) {
    u8 b = t.p[i++];
    if (b < 0x80) {
      if ((b < 32 && b != '\t' && b != '\n' && b != '\r') || b == 127) return 0;
      continue;
    }
    u32 more = b >= 0xf0 ? 3 : b >= 0xe0 ? 2 : 1;
    u32 rune = b & (0x3f >> more);
    if (b < 0xc2 || b > 0xf4 || t.n - i < more) return 0;
    for (u32 k = 0; k < more; k++, i++) {
      if ((t.p[i] & 0xc0) != 0x80) return 0;
      rune = rune << 6 | (t.p[i] & 0x3f);
    }
    if (rune < (more == 1 ? 0x80u : more == 2 ? 0x800u : 0x10000u) || rune > 0x10ffff || (rune >= 0xd800 && rune < 0xe000)) return 0;
  }
  return 1;
}

static i64 totals(i64 *sum) {
  i64 entries = *sum = 0;
  for (Row r = {0}; next_entry(&r); entries++) *sum += r.count;
  return entries;
}

static void put_state(void) {
  i64 sum, entries = totals(&sum);
  Line digest = {0};
  say(&digest, "%d tallies sum %d", entries, sum);
  Row first = {0};
  int titled = next_row(&first) && first.end - first.at > 2 && doc[first.at] == '#' && doc[first.at + 1] == ' ';
  put_map(titled ? 3 : 2);
  key("digest");
  put_text(of(&digest));
  if (titled) {
    key("title");
    put_text((Text){doc + first.at + 2, first.end - first.at - 2});
  }
  key("counts");
  put_list(1);
  put_map(2);
  pair("name", "tallies");
  key("value");
  put_int(entries);
}

static i32 answer_state(void) {
  put_map(1);
  key("state");
  put_state();
  return answer();
}

// ---- names ----

static u8 folded(u8 b) { return b >= 'A' && b <= 'Z' ? b + 32 : b; }

// alike compares a name with a reference: how is 0 for exactly, 1 ignoring case, 2 also ignoring - _ and blanks, 3 as a prefix.
static int alike(Text name, Text asked, int how) {
  if (how == 0) return same(name, asked);
  u32 i = 0, k = 0, hits = 0;
  for (;; i++, k++, hits++) {
    if (how >= 2) {
      while (i < name.n && (name.p[i] == '-' || name.p[i] == '_' || name.p[i] == ' ')) i++;
      while (k < asked.n && (asked.p[k] == '-' || asked.p[k] == '_' || asked.p[k] == ' ')) k++;
    }
    if (k == asked.n) return hits > 0 && (how == 3 || i == name.n);
    if (i == name.n || folded(name.p[i]) != folded(asked.p[k])) return 0;
  }
}

// find resolves a reference, up to the level last_way of alike. before and after surround each candidate in suggestions.
static int find(Text asked, int last_way, Row *hit, const char *before, Text after) {
  for (int how = 0; how <= last_way; how++) {
    u32 hits = 0;
    for (Row r = {0}; next_entry(&r);)
      if (alike(r.name, asked, how)) {
        if (++hits == 2) {
          FAIL("%q may be several tallies", asked);
          TRY("%t %q%t", cstr(before), hit->name, after);
        }
        if (hits >= 2) TRY("%t %q%t", cstr(before), r.name, after);
        *hit = r;
      }
    if (hits) return hits == 1;
  }
  FAIL("no tally is called %q", asked);
  TRY("map");
  return 0;
}

// nameable reports whether a text can be a name in the file.
static int nameable(Text t) {
  int ok = t.n && t.n <= NAME_MAX && utf8(t) && t.p[0] != '#' && !has_bom(t) && !blank(t.p[0]) && !blank(t.p[t.n - 1]);
  for (u32 i = 0; ok && i < t.n; i++)
    if (t.p[i] < 32) ok = 0;
  if (!ok) FAIL("a name is 1 to %d bytes on one line, does not start with #, and has no blanks around it", (i64)NAME_MAX);
  return ok;
}

// ---- ops ----

// The ids that ops of this call touched, oldest first, and those that the request says were touched before, newest first.
static Text touched[OPS_MAX];
static u32 touched_n;
static Reader recent_before;

static Text positional(Reader op, u32 i) {
  u32 n;
  Reader r = elements(field(op, "positionals"), &n);
  while (i--) skip(&r);
  return text(field(r, "text"));
}

static void put_result(const char *kind, const Line *done, u32 events) {
  put_map(3);
  pair("kind", kind);
  key("text");
  put_text(of(done));
  key("events");
  put_byte(0xdd);
  put_number(events, 4);
}

// change writes an event and applies it to the document.
static void change(const char *type, Text id, const Line *summary, u32 at, u32 old, Text new) {
  put_map(4);
  pair("type", type);
  key("summary");
  put_text(of(summary));
  key("ids");
  put_list(1);
  put_text(id);
  if (touched_n < OPS_MAX) touched[touched_n++] = (Text){out - id.n, id.n};
  key("data");
  u32 mark = begin(0xc6);
  put_list(3);
  put_int(at);
  put_bytes((Text){doc + at, old});
  put_bytes(new);
  end(mark);
  splice(at, old, new);
}

static int op_add(Reader op) {
  Text name = positional(op, 0);
  i64 by = 1, sum;
  u32 n;
  Reader params = elements(field(op, "params"), &n); // only by: is declared
  Text value = text(field(params, "value"));
  if (n && !parse_int(value, &by)) {
    FAIL("by:%q is not a whole number of up to %d digits", value, (i64)DIGITS);
    TRY("add %q by:2", name);
    return 0;
  }
  if (!nameable(name)) return 0;
  Line done = {0}, summary = {0}, new = {0};
  say(&summary, "add %q by:%d", name, by);
  Row r = {0};
  while (next_entry(&r))
    if (same(r.name, name)) break;
  if (r.name.n && same(r.name, name)) {
    if (by == 0) {
      FAIL("%q by:0 changes nothing", name);
      TRY("add %q by:1", name);
      return 0;
    }
    sum = r.count + by;
    decimal(&new, sum);
    if (!parse_int(of(&new), &sum)) return FAIL("%q would have more than %d digits", name, (i64)DIGITS);
    if (!fits(r.end - r.digits, new.n)) return 0;
    say(&done, "%t %d (was %d)", name, sum, r.count);
    put_result("changed", &done, 1);
    change("count", name, &summary, r.digits, r.end - r.digits, of(&new));
    return 1;
  }
  // A new line has the same line ending as the last one.
  const char *ending = "\n";
  for (Row k = {0}; next_row(&k);) ending = k.next - k.at >= 2 && doc[k.next - 2] == '\r' ? "\r\n" : "\n";
  say(&new, "%t%t %d%t", cstr(doc_n && doc[doc_n - 1] != '\n' ? ending : ""), name, by, cstr(ending));
  if (!fits(0, new.n)) return 0;
  say(&done, "%t %d", name, by);
  put_result("created", &done, 1);
  change("line", name, &summary, doc_n, 0, of(&new));
  return 1;
}

static int op_rename(Reader op) {
  Text new = positional(op, 1);
  Row r = {0};
  Line after = {0};
  say(&after, " %q", new);
  if (!nameable(new) || !find(positional(op, 0), 3, &r, "rename", of(&after))) return 0;
  for (Row k = {0}; next_entry(&k);)
    if (same(k.name, new)) {
      FAIL("a tally is called %q already", new);
      TRY("map");
      return 0;
    }
  if (!fits(r.name.n, new.n)) return 0;
  Line done = {0};
  say(&done, "rename %q %q", r.name, new);
  put_result("changed", &done, 1);
  change("rename", new, &done, (u32)(r.name.p - doc), r.name.n, new);
  return 1;
}

// exists reports whether an entry has this id, which is its name.
static int exists(Text id) {
  for (Row r = {0}; next_entry(&r);)
    if (same(r.name, id)) return 1;
  return 0;
}

// touch returns the i-th touched id, newest first; empty after the last.
static Text touch(u32 i) {
  if (i < touched_n) return touched[touched_n - 1 - i];
  u32 n;
  Reader r = elements(recent_before, &n);
  if (i - touched_n >= n) return (Text){0, 0};
  for (i -= touched_n; i; i--) skip(&r);
  return text(r);
}

// recent reports whether a name is among the last n touched ones that still exist.
static int recent(Text name, i64 n) {
  for (u32 i = 0; n > 0; i++) {
    Text id = touch(i);
    if (!id.n) return 0;
    if (same(id, name)) return 1;
    int again = !exists(id);
    for (u32 k = 0; k < i && !again; k++) again = same(touch(k), id);
    if (!again) n--;
  }
  return 0;
}

static int selected(Reader op, Text name) {
  u32 n;
  Reader r = elements(field(op, "selectors"), &n);
  for (; n; n--, skip(&r)) {
    int in = 1;
    if (same(text(field(r, "type")), T("recent"))) {
      i64 last = 1;
      parse_int(text(field(r, "value")), &last);
      in = recent(name, last);
    }
    if (in == (int)integer(field(r, "negated"))) return 0;
  }
  return 1;
}

static int op_remove(Reader op) {
  static u8 marked[DOC_MAX]; // by the offset of a row
  u32 names, selectors, rows = 0, events = 0;
  elements(field(op, "positionals"), &names);
  Reader s = elements(field(op, "selectors"), &selectors);
  if (names && selectors) {
    FAIL("remove takes names or selectors, not both");
    TRY("remove @recent");
    return 0;
  }
  for (; selectors; selectors--, skip(&s)) {
    Text type = text(field(s, "type")), value = text(field(s, "value"));
    i64 last;
    int recent_type = same(type, T("recent"));
    if (!recent_type && !(same(type, T("all")) && !value.n)) return FAIL("%t selects nothing here", text(field(s, "raw")));
    if (recent_type && value.n && (!parse_int(value, &last) || last < 1)) return FAIL("%t needs a number from 1 on", text(field(s, "raw")));
  }
  __builtin_memset(marked, 0, sizeof marked);
  for (u32 i = 0; i < names; i++) {
    Row r = {0};
    if (!find(positional(op, i), 2, &r, "remove", T(""))) return 0;
    marked[r.at] = 1;
  }
  for (Row r = {0}; next_entry(&r);) {
    if (!names && selected(op, r.name)) marked[r.at] = 1;
    rows += marked[r.at];
  }
  if (!rows) {
    FAIL("nothing is selected");
    TRY("map");
    return 0;
  }
  Line done = {0};
  say(&done, rows == 1 ? "%d tally removed" : "%d tallies removed", (i64)rows);
  put_result(rows == 1 ? "deleted" : "bulk", &done, rows);
  for (u32 at = doc_n; events < rows;) { // from the end, so that the remaining offsets stay valid
    if (!marked[--at]) continue;
    Row r = {.next = at};
    Line summary = {0};
    next_row(&r);
    say(&summary, "remove %q", r.name);
    change("line", r.name, &summary, r.at, r.next - r.at, T(""));
    events++;
  }
  return 1;
}

static int run(Reader op) {
  Text verb = text(field(op, "verb"));
  if (same(verb, T("add"))) return op_add(op);
  if (same(verb, T("rename"))) return op_rename(op);
  if (same(verb, T("remove"))) return op_remove(op);
  if (same(verb, T("trap"))) __builtin_trap();
  return FAIL("%q is no verb of tally", verb);
}

// ---- exports ----

static void verb(const char *name, const char *syntax, const char *summary, i64 min, i64 max, const char *extra, const char *example) {
  put_map(extra ? 7 : 6);
  pair("name", name);
  pair("syntax", syntax);
  pair("summary", summary);
  key("min");
  put_int(min);
  key("max");
  put_int(max);
  key("examples");
  put_list(1);
  put_text(cstr(example));
  if (!extra) return;
  key(extra);
  if (!same(cstr(extra), T("params"))) {
    put_true();
    return;
  }
  put_list(1);
  put_map(2);
  pair("key", "by");
  pair("value", "N");
}

static void named(const char *name, const char *syntax, const char *summary) {
  put_map(3);
  pair("name", name);
  pair("syntax", syntax);
  pair("summary", summary);
}

EXPORT(fcp_manifest) {
  input();
  put_map(13);
  key("abi");
  put_int(1);
  pair("domain", "tally");
  pair("title", "Tally");
  pair("version", "1.0.0");
  pair("summary", "lists of names with counts");
  key("extensions");
  put_list(1);
  put_text(T(".tally"));
  key("mime");
  put_list(1);
  put_text(T("text/x-tally"));
  key("verbs");
  put_list(4);
  verb("add", "add NAME [by:N]", "count a name up; a new name starts at 0", 1, 1, "params", "add apples by:3");
  verb("rename", "rename NAME NEW", "give a tally another name", 2, 2, 0, "rename apples pears");
  verb("remove", "remove NAME… | @SEL", "delete tallies", 1, -1, "select", "remove apples");
  verb("trap", "trap", "end the plugin as a fault in it would", 0, 0, "hidden", "trap");
  key("queries");
  put_list(3);
  named("map", "map", "every tally");
  named("stats", "stats", "how many, and their sum");
  put_map(4);
  pair("name", "shared");
  pair("syntax", "shared");
  pair("summary", "what the server counts");
  key("wants");
  put_list(1);
  put_text(T("http:totals"));
  key("wants");
  put_list(1);
  put_map(5);
  pair("kind", "http");
  pair("name", "totals");
  pair("reason", "It says what a team counted.");
  pair("base", "${TALLY_URL}");
  key("reads");
  put_true();
  key("exports");
  put_list(1);
  put_map(4);
  pair("name", "csv");
  pair("extension", ".csv");
  pair("mime", "text/csv");
  pair("summary", "a table for a spreadsheet");
  key("conventions");
  put_list(1);
  put_text(T("A name is matched exactly by add; other verbs also take it in any case."));
  key("example");
  put_list(2);
  put_text(T("add apples by:3"));
  put_text(T("add pears"));
  return answer();
}

EXPORT(fcp_new) {
  Text title = text(field(input(), "title"));
  if (title.n > 1000) return FAIL("the title is longer than 1000 bytes"), refuse();
  doc_n = 0;
  if (title.n) {
    splice(0, 0, T("# "));
    splice(doc_n, 0, title);
    for (u32 i = 0; i < doc_n; i++)
      if (doc[i] < 32 || doc[i] == 127) doc[i] = ' ';
    splice(doc_n, 0, T("\n"));
  }
  opened = 1;
  return answer_state();
}

// check reports whether the document's bytes are a tally.
static int check(void) {
  i64 line = 0;
  if (!utf8((Text){doc, doc_n})) return FAIL("not UTF-8 text");
  for (Row r = {0}; next_row(&r);) {
    line++;
    if (r.wrong) return FAIL("line %d is neither a name of up to %d bytes with a count, nor blank, nor a # comment", line, (i64)NAME_MAX);
    for (Row k = {0}; r.name.n && next_entry(&k) && k.at < r.at;)
      if (same(k.name, r.name)) return FAIL("line %d counts %q, which an earlier line does", line, r.name);
  }
  return 1;
}

EXPORT(fcp_open) {
  Text data = text(field(input(), "data"));
  opened = 0;
  if (data.n > DOC_MAX) return FAIL("larger than %d bytes", (i64)DOC_MAX), refuse();
  doc_n = 0;
  splice(0, 0, data);
  if (!check()) return refuse();
  opened = 1;
  return answer_state();
}

#define NEEDS_DOCUMENT \
  if (waiting) return FAIL("this instance waits for fcp_resume"), refuse(); \
  if (!opened) return FAIL("no document is open"), refuse()

EXPORT(fcp_save) {
  input();
  NEEDS_DOCUMENT;
  put_map(2);
  key("data");
  put_bytes((Text){doc, doc_n});
  pair("mime", "text/x-tally");
  return answer();
}

EXPORT(fcp_apply) {
  Reader request = input();
  NEEDS_DOCUMENT;
  touched_n = 0;
  recent_before = field(request, "recent");
  i64 each = integer(field(request, "each"));
  u32 n, results = 0;
  Reader ops = elements(field(request, "ops"), &n);
  put_map(2);
  key("results");
  u32 mark = begin(0xdd);
  for (int ok = 1; n && (ok || each); n--, results++, skip(&ops)) {
    ok = run(ops);
    if (ok) continue;
    put_map(1); // a failed op has written nothing
    key("error");
    put_error();
  }
  settle(mark, results);
  key("state");
  put_state();
  return answer();
}

static i32 again(int reverse) {
  u32 n;
  Reader events = elements(field(input(), "events"), &n);
  NEEDS_DOCUMENT;
  for (; n; n--, skip(&events)) {
    Text data = text(field(events, "data"));
    u32 parts;
    Reader r = elements((Reader){data.p, data.p + data.n}, &parts);
    if (parts != 3) return FAIL("an event cannot be read"), refuse();
    i64 at = integer(r);
    skip(&r);
    Text old = text(r);
    skip(&r);
    Text new = text(r);
    if (reverse) {
      Text t = old;
      old = new;
      new = t;
    }
    if (at < 0 || at > doc_n || old.n > doc_n - at || !same((Text){doc + at, old.n}, old) || doc_n - old.n + new.n > DOC_MAX)
      return FAIL("an event does not fit the document"), refuse();
    splice((u32)at, old.n, new);
  }
  return answer_state();
}

EXPORT(fcp_reverse) { return again(1); }
EXPORT(fcp_replay) { return again(0); }

EXPORT(fcp_state) {
  input();
  NEEDS_DOCUMENT;
  return answer_state();
}

EXPORT(fcp_query) {
  Reader query = field(input(), "query");
  NEEDS_DOCUMENT;
  Text name = text(field(query, "verb"));
  // The host checks only the first word against the manifest, since the queries have no takes.
  u32 words, params, selectors;
  elements(field(query, "positionals"), &words);
  elements(field(query, "params"), &params);
  elements(field(query, "selectors"), &selectors);
  if (words + params + selectors) {
    FAIL("%q stands alone", name);
    TRY("%t", name);
    return refuse();
  }
  if (same(name, T("shared"))) {
    waiting = 1;
    put_map(1);
    key("requests");
    put_list(1);
    put_map(1);
    key("http");
    put_map(3);
    pair("endpoint", "totals");
    pair("method", "GET");
    key("path");
    put_list(1);
    put_text(T("totals"));
    return ask();
  }
  put_map(1);
  key("text");
  u32 mark = begin(0xdb);
  i64 sum, entries = totals(&sum);
  Line l = {0};
  say(&l, "%d tallies sum %d", entries, sum);
  put(l.b, l.n);
  for (Row r = {0}; same(name, T("map")) && next_entry(&r);) {
    l.n = 0;
    say(&l, "\n%q %d", r.name, r.count);
    put(l.b, l.n);
  }
  end(mark);
  return answer();
}

EXPORT(fcp_resume) {
  u32 n;
  Reader result = elements(field(input(), "results"), &n);
  if (!waiting || n != 1) return FAIL("nothing was asked for"), refuse();
  waiting = 0;
  Reader failure = field(result, "failure"), http = field(result, "http");
  if (failure.p) return FAIL("%t", text(field(failure, "message"))), refuse();
  i64 status = integer(field(http, "status")), sum;
  if (status != 200) return FAIL("the server answered %d", status), refuse();
  Line said = {0};
  say(&said, "%d here, %t on the server", (totals(&sum), sum), text(field(http, "body")));
  put_map(1);
  key("text");
  put_text(of(&said));
  return answer();
}

// fcp_export writes csv, the only format the manifest declares.
EXPORT(fcp_export) {
  Reader request = input();
  NEEDS_DOCUMENT;
  u32 params;
  elements(field(request, "params"), &params);
  if (params) return FAIL("export csv takes no parameters"), refuse();
  put_map(2);
  pair("mime", "text/csv");
  key("data");
  u32 mark = begin(0xc6);
  put((const u8 *)"name,count\r\n", 12);
  for (Row r = {0}; next_entry(&r);) {
    put_byte('"');
    for (u32 i = 0; i < r.name.n; i++) {
      if (r.name.p[i] == '"') put_byte('"');
      put_byte(r.name.p[i]);
    }
    put_byte('"');
    Line l = {0};
    say(&l, ",%d\r\n", r.count);
    put(l.b, l.n);
  }
  end(mark);
  return answer();
}
