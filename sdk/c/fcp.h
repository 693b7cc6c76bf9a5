// fcp.h: the SDK for fcp-host domains in C. It needs no library. Compile with any clang that has the target wasm32:
//
//   clang --target=wasm32 -std=c11 -O2 -nostdlib -fno-builtin -mbulk-memory -Wl,--no-entry -Wl,--stack-first -o NAME.wasm NAME.c
//
// The model is the file's text. Every change is a splice of it (`change`), and the splice is the event: undo, redo, recovery and
// the rollback of a failed op follow from that, and what no op names keeps its bytes. A domain is one file that includes this
// one and defines `domain`.
//
// Over 400 lines: an SDK is one file, which a domain copies instead of using a package registry.
#pragma once

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int i32;
typedef long long i64;

// Text is a UTF-8 string with a length that does not own its bytes. p is 0 for a missing text.
typedef struct {
  const u8 *p;
  u32 n;
} Text;

#define T(literal) ((Text){(const u8 *)(literal), sizeof(literal) - 1})
#define FCP_USED __attribute__((unused)) static

// Element is an element that ops name: the bytes at..at+n of the document, and its name. The SDK sets id, by which ops and the
// history name it: its name, or name#2 for the second of several with this name.
typedef struct {
  u32 at, n;
  Text name, id;
  u32 first, twins; // the SDK's: the index of the first with this name, and of that, how many there are
} Element;

// Op is an op or a query: see word and param.
typedef struct Op Op;

// The syntax of a verb, query or selector describes it; from it the SDK derives what the host checks. Words after the name are
// positionals, key:VALUE is a parameter, [ ] encloses optional parts, … follows a word that may be repeated, and SEL or @SEL,
// also as in TASK|@SEL, means that selectors may replace names. VALUE says what the SDK accepts before run is called: 1-9 a whole
// number, 0.5-2 or N a number, X,Y a point, WxH a size, open|done one of these; anything else is a text. Lists of them end with {0}.
typedef struct {
  const char *syntax, *summary, *example;
  int (*run)(const Op *op); // runs the op and replies; returns 0 after FAIL, and then the document is unchanged
} Verb;

typedef struct {
  const char *syntax, *summary;
  int (*run)(const Op *op); // prints the answer; returns 0 after FAIL
} Query;

typedef struct {
  const char *type, *syntax, *summary;
  int (*matches)(const Element *e, Text value);
} Selector;

typedef struct {
  const char *name, *title, *version, *summary;
  const char *extension; // including the dot
  const char *noun;      // the word for an element in error messages
  Text (*create)(Text title);  // returns the text of a new document, without p after FAIL
  int (*check)(Text text);     // returns 0 after FAIL if the text is not such a file
  int (*next)(Element *e);     // finds the first element after e->at + e->n; 0 if there is none
  Text (*digest)(void);        // one short line about the document
  const Verb *verbs;
  const Query *queries;
  const Selector *selectors;   // in addition to @all, @recent and @not:…; may be 0
} Domain;

static const Domain domain; // defined by the domain

// ---- memory: blocks whose sizes are powers of two, and scratch memory, which lives until the next call ----

extern u8 __heap_base;
static u8 *heap_top;
static void *heap_free[32];

static void *get(u32 n) {
  u32 size = 5;
  while ((1u << size) < n + 8) size++;
  if (heap_free[size]) {
    u8 *p = heap_free[size];
    __builtin_memcpy(&heap_free[size], p, sizeof(void *));
    return p;
  }
  if (!heap_top) heap_top = (u8 *)(((u32)&__heap_base + 15) & ~15u);
  u64 end = (u64)(u32)heap_top + (1u << size), have = (u64)__builtin_wasm_memory_size(0) << 16;
  if (end > have && __builtin_wasm_memory_grow(0, (u32)((end - have + 0xffff) >> 16)) == (u32)-1) __builtin_trap();
  *(u32 *)heap_top = size;
  u8 *p = heap_top + 8;
  heap_top += 1u << size;
  return p;
}

static void drop(void *p) {
  if (!p) return;
  u32 size = *(u32 *)((u8 *)p - 8);
  __builtin_memcpy(p, &heap_free[size], sizeof(void *));
  heap_free[size] = p;
}

// Buf is a growing byte buffer.
typedef struct {
  u8 *p;
  u32 n, room;
} Buf;

static void need(Buf *b, u32 more) {
  if (b->n + more <= b->room) return;
  u32 room = b->room < 64 ? 120 : b->room * 2 + 8;
  if (room < b->n + more) room = b->n + more;
  u8 *p = get(room);
  __builtin_memcpy(p, b->p, b->n);
  drop(b->p);
  b->p = p;
  b->room = room;
}

static void put(Buf *b, const u8 *p, u32 n) {
  need(b, n);
  __builtin_memcpy(b->p + b->n, p, n);
  b->n += n;
}

static void put_byte(Buf *b, u8 v) { put(b, &v, 1); }

static u8 **chunks, *chunk;
static u32 chunk_left;

// scratch allocates memory that lives until the host's next call.
static void *scratch(u32 n) {
  n = (n + 7) & ~7u;
  if (n > chunk_left) {
    chunk_left = n > 65000 ? n : 65000;
    u8 **c = get(chunk_left + 8);
    *c = (u8 *)chunks;
    chunks = c;
    chunk = (u8 *)c + 8;
  }
  u8 *p = chunk;
  chunk += n;
  chunk_left -= n;
  return p;
}

static void scratch_end(void) {
  while (chunks) {
    u8 **next = (u8 **)*chunks;
    drop(chunks);
    chunks = next;
  }
  chunk_left = 0;
}

// ---- text ----

FCP_USED Text text_of(const char *s) {
  u32 n = 0;
  while (s[n]) n++;
  return (Text){(const u8 *)s, n};
}

FCP_USED int same(Text a, Text b) {
  if (a.n != b.n) return 0;
  for (u32 i = 0; i < a.n; i++)
    if (a.p[i] != b.p[i]) return 0;
  return 1;
}

FCP_USED int starts(Text t, Text with) { return t.n >= with.n && same((Text){t.p, with.n}, with); }

static Text keep(Text t) {
  u8 *p = scratch(t.n);
  __builtin_memcpy(p, t.p, t.n);
  return (Text){p, t.n};
}

// is_utf8 reports whether a text is valid UTF-8.
FCP_USED int is_utf8(Text t) {
  for (u32 i = 0; i < t.n;) {
    u8 b = t.p[i++];
    if (b < 0x80) continue;
    u32 more = b >= 0xf0 ? 3 : b >= 0xe0 ? 2 : 1, rune = b & (0x3f >> more);
    if (b < 0xc2 || b > 0xf4 || t.n - i < more) return 0;
    for (u32 k = 0; k < more; k++, i++) {
      if ((t.p[i] & 0xc0) != 0x80) return 0;
      rune = rune << 6 | (t.p[i] & 0x3f);
    }
    if (rune < (more == 1 ? 0x80u : more == 2 ? 0x800u : 0x10000u) || rune > 0x10ffff || (rune >= 0xd800 && rune < 0xe000)) return 0;
  }
  return 1;
}

// quoted prints a text as one word of an op that parses to the same text.
static void quoted(Buf *b, Text t) {
  static const char hex[] = "0123456789abcdef";
  int bare = t.n > 0;
  for (u32 i = 0; i < t.n; i++) {
    u8 c = t.p[i];
    int word = c >= 0x80 || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || c == '_';
    if (!word && !(i && (c == '-' || c == '.' || c == '#'))) bare = 0;
  }
  if (bare) {
    put(b, t.p, t.n);
    return;
  }
  put_byte(b, '"');
  for (u32 i = 0; i < t.n; i++) {
    u8 c = t.p[i];
    if (c == '\n' || c == '\t' || c == '"' || c == '\\') {
      put_byte(b, '\\');
      put_byte(b, c == '\n' ? 'n' : c == '\t' ? 't' : c);
    } else if (c < 32 || c == 127) {
      put(b, (const u8 *)"\\u00", 4);
      put_byte(b, hex[c >> 4]);
      put_byte(b, hex[c & 15]);
    } else {
      put_byte(b, c);
    }
  }
  put_byte(b, '"');
}

static void decimal(Buf *b, i64 v) {
  u8 digits[20];
  u32 n = 0;
  u64 rest = v < 0 ? 0 - (u64)v : (u64)v;
  do digits[n++] = '0' + rest % 10;
  while (rest /= 10);
  if (v < 0) put_byte(b, '-');
  while (n) put_byte(b, digits[--n]);
}

static void write(Buf *b, const char *format, __builtin_va_list args) {
  for (; *format; format++) {
    if (*format != '%') {
      put_byte(b, (u8)*format);
      continue;
    }
    switch (*++format) {
    case 'd': decimal(b, __builtin_va_arg(args, int)); break;
    case 'q': quoted(b, __builtin_va_arg(args, Text)); break;
    case 's': {
      Text t = text_of(__builtin_va_arg(args, const char *));
      put(b, t.p, t.n);
      break;
    }
    case 't': {
      Text t = __builtin_va_arg(args, Text);
      put(b, t.p, t.n);
    }
    }
  }
}

// format formats a text: %t a Text, %q a Text as one word of an op, %s a string, %d an int.
FCP_USED Text format(const char *format, ...) {
  static Buf b;
  __builtin_va_list args;
  b.n = 0;
  __builtin_va_start(args, format);
  write(&b, format, args);
  __builtin_va_end(args);
  return keep((Text){b.p, b.n});
}

// ---- errors ----

static Text message;
static struct {
  const char *kind;
  Text text;
} tries[3];
static u32 tries_n;

// visible escapes control characters as \u001b: selectors and files may contain them.
static Text visible(Text t) {
  static const char hex[] = "0123456789abcdef";
  u32 n = 0;
  for (u32 i = 0; i < t.n; i++) n += t.p[i] < 32 || t.p[i] == 127;
  if (!n) return t;
  u8 *line = scratch(t.n + 5 * n);
  n = 0;
  for (u32 i = 0; i < t.n; i++) {
    u8 c = t.p[i];
    if (c >= 32 && c != 127) {
      line[n++] = c;
      continue;
    }
    __builtin_memcpy(line + n, "\\u00", 4);
    line[n + 4] = hex[c >> 4];
    line[n + 5] = hex[c & 15];
    n += 6;
  }
  return (Text){line, n};
}

static int fail(Text t) {
  message = visible(t);
  tries_n = 0;
  return 0;
}

static void suggest(const char *kind, Text t) {
  if (tries_n == 3) return;
  tries[tries_n].kind = kind;
  tries[tries_n++].text = t;
}

// FAIL sets the error message and is 0. TRY suggests an op that would work (for a refused query, a query), TRY_QUERY a query.
#define FAIL(...) fail(format(__VA_ARGS__))
#define TRY(...) suggest(0, format(__VA_ARGS__))
#define TRY_QUERY(...) suggest("query", format(__VA_ARGS__))

// ---- values: what a syntax line shows for a key is the type of its values ----

// take_number cuts a decimal number off the start of a text. It returns 0 if there is none, 1 for one without a point, or 2.
static int take_number(Text *t, double *v) {
  double unit = 1, all = 0;
  u32 i = t->n && (t->p[0] == '-' || t->p[0] == '+'), from = i;
  int point = 0;
  for (; i < t->n && ((t->p[i] >= '0' && t->p[i] <= '9') || (t->p[i] == '.' && !point)); i++) {
    if (t->p[i] == '.') point = 1;
    else all = all * 10 + (t->p[i] - '0'), unit *= point ? 10 : 1;
  }
  if (i - from > 30 || i - from <= (u32)point) return 0;
  *v = (t->p[0] == '-' ? -all : all) / unit;
  *t = (Text){t->p + i, t->n - i};
  return 1 + point;
}

// take_pair reads two numbers, and sets gap to what is between them.
static int take_pair(Text t, double *a, double *b, Text *gap) {
  if (!take_number(&t, a)) return 0;
  *gap = (Text){t.p, 0};
  while (t.n && (t.p[0] > '9' || t.p[0] < '0') && t.p[0] != '-' && t.p[0] != '+' && t.p[0] != '.') t.p++, t.n--, gap->n++;
  return gap->n && take_number(&t, b) && !t.n;
}

static int alike(Text a, Text b, int level);

// accepts checks a value against one form of a syntax line, and gives a word the spelling of that line. If it returns 0, why says
// what the form takes, and near may be the nearest value.
static int accepts(Text form, Text *v, Text *near, Text *why) {
  Text t = *v, rest = form, gap;
  double lo, hi, x, y;
  int point = same(form, T("X,Y")), kind = take_number(&rest, &lo);
  if (point || same(form, T("WxH"))) {
    *why = point ? T("is not a point X,Y, such as 200,120") : T("is not a size WxH, such as 140x60");
    if (!take_pair(t, &x, &y, &gap) || (!point && (x < 0 || y < 0))) return 0;
    *near = format("%t%s%t", (Text){t.p, (u32)(gap.p - t.p)}, point ? "," : "x", (Text){gap.p + gap.n, (u32)(t.p + t.n - gap.p - gap.n)});
    return gap.n == 1 && (gap.p[0] | 32) == (point ? ',' : 'x');
  }
  Text low = {form.p, form.n - rest.n}, high = {rest.p + 1, rest.n - 1}, end = high;
  if (kind && rest.n > 1 && rest.p[0] == '-' && (kind |= take_number(&end, &hi)) && !end.n) {
    *why = format("is not a %s from %t to %t", kind == 1 ? "whole number" : "number", low, high);
    int read = take_number(&t, &x);
    if (!read || t.n || (kind == 1 && read == 2)) return 0;
    *near = x < lo ? low : high;
    return lo <= x && x <= hi;
  }
  *why = T("is not a number");
  if (same(form, T("N"))) return take_number(&t, &x) && !t.n;
  if (form.p[0] < 'a' || form.p[0] > 'z') return 1; // a text
  if (t.n && alike((Text){t.p, 1}, form, 3)) *near = form; // it begins alike
  if (alike(t, form, 2)) return *v = form, 1;
  return *why = format("is not one of %t", form), 0;
}

// ---- decoding MessagePack; the host never sends a malformed message, so decoding one traps ----

// Reader is positioned before a value. An empty one stands for a missing value.
typedef struct {
  const u8 *p, *end;
} Reader;

enum { NIL, BOOL, INT, TEXT, BYTES, LIST, MAP, OTHER };

// Head is the head of a value: its kind, and its value (BOOL, INT), its length in bytes (TEXT, BYTES, OTHER) or in elements.
typedef struct {
  int kind;
  i64 n;
} Head;

static u64 big_endian(Reader *r, u32 n) {
  if ((u32)(r->end - r->p) < n) __builtin_trap();
  u64 v = 0;
  while (n--) v = v << 8 | *r->p++;
  return v;
}

static Head head(Reader *r) {
  if (r->p == r->end) return (Head){NIL, 0};
  u8 b = *r->p++;
  if (b < 0x80) return (Head){INT, b};
  if (b < 0x90) return (Head){MAP, b & 15};
  if (b < 0xa0) return (Head){LIST, b & 15};
  if (b < 0xc0) return (Head){TEXT, b & 31};
  if (b >= 0xe0) return (Head){INT, (signed char)b};
  switch (b) {
  case 0xc0: return (Head){NIL, 0};
  case 0xc2: case 0xc3: return (Head){BOOL, b & 1};
  case 0xc4: case 0xc5: case 0xc6: return (Head){BYTES, (i64)big_endian(r, 1u << (b - 0xc4))};
  case 0xc7: case 0xc8: case 0xc9: return (Head){OTHER, (i64)big_endian(r, 1u << (b - 0xc7)) + 1};
  case 0xca: return (Head){OTHER, 4};
  case 0xcb: return (Head){OTHER, 8};
  case 0xcc: case 0xcd: case 0xce: case 0xcf: return (Head){INT, (i64)big_endian(r, 1u << (b - 0xcc))};
  case 0xd0: return (Head){INT, (signed char)big_endian(r, 1)};
  case 0xd1: return (Head){INT, (short)big_endian(r, 2)};
  case 0xd2: return (Head){INT, (i32)big_endian(r, 4)};
  case 0xd3: return (Head){INT, (i64)big_endian(r, 8)};
  case 0xd4: case 0xd5: case 0xd6: case 0xd7: case 0xd8: return (Head){OTHER, (1 << (b - 0xd4)) + 1};
  case 0xd9: case 0xda: case 0xdb: return (Head){TEXT, (i64)big_endian(r, 1u << (b - 0xd9))};
  case 0xdc: case 0xdd: return (Head){LIST, (i64)big_endian(r, 2u << (b - 0xdc))};
  case 0xde: case 0xdf: return (Head){MAP, (i64)big_endian(r, 2u << (b - 0xde))};
  }
  __builtin_trap();
}

static Text take(Reader *r, i64 n) {
  if (r->end - r->p < n) __builtin_trap();
  Text t = {r->p, (u32)n};
  r->p += n;
  return t;
}

static void skip(Reader *r) {
  Head h = head(r);
  if (h.kind == TEXT || h.kind == BYTES || h.kind == OTHER) take(r, h.n);
  if (h.kind == LIST || h.kind == MAP)
    for (i64 n = h.kind == MAP ? 2 * h.n : h.n; n > 0; n--) {
      if (r->p == r->end) __builtin_trap();
      skip(r);
    }
}

static Text read_text(Reader r) {
  Head h = head(&r);
  return h.kind == TEXT || h.kind == BYTES ? take(&r, h.n) : (Text){0, 0};
}

static i64 read_int(Reader r) {
  Head h = head(&r);
  return h.kind == INT || h.kind == BOOL ? h.n : 0;
}

// field returns a reader before the value of a map's key.
static Reader field(Reader map, const char *key) {
  Reader value = {0, 0};
  Text wanted = text_of(key);
  Head h = head(&map);
  if (h.kind != MAP) return value;
  for (; h.n > 0; h.n--) {
    Text k = read_text(map);
    skip(&map);
    if (same(k, wanted)) value = map;
    skip(&map);
  }
  return value;
}

// elements moves to the first element of a list and returns their number.
static Reader elements(Reader list, u32 *n) {
  Head h = head(&list);
  *n = h.kind == LIST ? (u32)h.n : 0;
  return list;
}

// ---- encoding MessagePack, to out ----

static Buf out;

static void number(u64 v, u32 bytes) {
  while (bytes--) put_byte(&out, (u8)(v >> 8 * bytes));
}

static void sized(u8 type, u64 n) {
  put_byte(&out, type);
  number(n, 4);
}

static void put_map(u32 n) { sized(0xdf, n); }
static void put_list(u32 n) { sized(0xdd, n); }
static void put_true(void) { put_byte(&out, 0xc3); }

static void put_int(i64 v) {
  put_byte(&out, 0xd3);
  number((u64)v, 8);
}

static void put_text(Text t) {
  sized(0xdb, t.n);
  put(&out, t.p, t.n);
}

static void put_bytes(Text t) {
  sized(0xc6, t.n);
  put(&out, t.p, t.n);
}

static void put_key(const char *k) { put_text(text_of(k)); }

static void pair(const char *k, const char *v) {
  put_key(k);
  put_text(text_of(v));
}

// ---- the host ----

#define FCP_IMPORT(module, type, name, ...) __attribute__((import_module(module), import_name(#name))) extern type host_##name(__VA_ARGS__)
#define FCP_EXPORT(name) __attribute__((export_name(#name))) i32 name(void)

FCP_IMPORT("extism:host/env", u64, input_length, void);
FCP_IMPORT("extism:host/env", u64, alloc, u64 length);
FCP_IMPORT("extism:host/env", void, store_u8, u64 offset, i32 value);
FCP_IMPORT("extism:host/env", void, store_u64, u64 offset, u64 value);
FCP_IMPORT("extism:host/env", void, error_set, u64 handle);
FCP_IMPORT("extism:host/env", void, log_info, u64 handle);
FCP_IMPORT("fcp:host/env", u32, input_read, void *to, u32 length, u32 offset);
FCP_IMPORT("fcp:host/env", void, output_write, const void *from, u32 length);

// to_host copies a text into a block of host memory.
static u64 to_host(Text t) {
  u64 block = host_alloc(t.n);
  if (!block && t.n) __builtin_trap();
  u32 i = 0;
  for (; i + 8 <= t.n; i += 8) {
    u64 eight;
    __builtin_memcpy(&eight, t.p + i, 8);
    host_store_u64(block + i, eight);
  }
  for (; i < t.n; i++) host_store_u8(block + i, t.p[i]);
  return block;
}

// LOG writes a line to the host's log, which `fcp-host exec` prints.
#define LOG(...) host_log_info(to_host(format(__VA_ARGS__)))

// ---- the document ----

static Buf doc;
static int opened;

FCP_USED Text document(void) { return (Text){doc.p, doc.n}; }

static void splice(u32 at, u32 old, Text new) {
  if (new.n > old) need(&doc, new.n - old);
  __builtin_memmove(doc.p + at + new.n, doc.p + at + old, doc.n - at - old);
  __builtin_memcpy(doc.p + at, new.p, new.n);
  doc.n = doc.n - old + new.n;
}

// Splice is a change of the document: new for the text old at `at`. id is the id of the element that it touches.
typedef struct {
  u32 at;
  Text old, new, id;
} Splice;

// splice_all makes or reverses splices, whose places are those in the text before all of them, in order. It returns 0, and changes
// nothing, if they do not fit the document.
static int splice_all(const Splice *list, u32 n, int reverse) {
  static Buf next;
  u32 at = 0; // how far the document is copied
  next.n = 0;
  for (const Splice *s = list; s < list + n; s++) {
    Text old = reverse ? s->new : s->old, new = reverse ? s->old : s->new;
    u32 done = reverse ? next.n : at, kept = s->at - done;
    if (s->at < done || kept > doc.n - at || old.n > doc.n - at - kept || !same((Text){doc.p + at + kept, old.n}, old)) return 0;
    if (n == 1) return splice(s->at, old.n, new), 1;
    put(&next, doc.p + at, kept);
    put(&next, new.p, new.n);
    at += kept + old.n;
  }
  put(&next, doc.p + at, doc.n - at);
  Buf was = doc;
  doc = next;
  next = was;
  return 1;
}

// Event is a change that the op made.
typedef struct {
  Splice *list;
  u32 n;
  Text summary;
} Event;

static Event *events;
static u32 events_n, events_room;
static const char *kind;
static Text said;

// change_all makes splices as one event. Their places are those in the document before all of them, in order, and do not overlap.
// The history says what it did, and to which element or how many. It invalidates texts that point into the document.
FCP_USED void change_all(const Splice *list, u32 n, const char *did) {
  if (!n) return;
  if (events_n == events_room) {
    events_room = events_room ? 2 * events_room : 16;
    Event *more = get(events_room * sizeof(Event));
    __builtin_memcpy(more, events, events_n * sizeof(Event));
    drop(events);
    events = more;
  }
  Splice *own = scratch(n * sizeof(Splice));
  for (u32 i = 0; i < n; i++) own[i] = (Splice){list[i].at, keep(list[i].old), keep(list[i].new), keep(list[i].id)};
  events[events_n++] = (Event){own, n, n == 1 ? format("%s %q", did, own->id) : format("%s %d %ss", did, (int)n, domain.noun)};
  if (!splice_all(own, n, 0)) __builtin_trap(); // they overlap, or do not fit
}

// change makes one splice: `new` for the n bytes at `at`.
FCP_USED void change(u32 at, u32 n, Text new, Text id, const char *did) { change_all(&(Splice){at, {doc.p + at, n}, new, id}, 1, did); }

// reply sets the result of the op: created, connection, changed, deleted or bulk. It returns 1, for a verb to return.
FCP_USED int reply(const char *of, Text text) {
  kind = of;
  said = text;
  return 1;
}

// unchanged is the reply of an op that had nothing to change.
FCP_USED int unchanged(Text text) { return reply("unchanged", text); }

// done is the reply of a verb that may have changed any number of elements.
FCP_USED int done(const char *of, const char *did, const Element *list, u32 n) {
  if (n == 0) return unchanged(format("%s: nothing to change", did));
  if (n == 1) return reply(of, format("%s %q", did, list[0].id));
  Text names = format("%q", list[0].id);
  for (u32 i = 1; i < n && i < 8; i++) names = format("%t, %q", names, list[i].id);
  return reply("bulk", format("%s %d %ss: %t%s", did, (int)n, domain.noun, names, n > 8 ? ", …" : ""));
}

// ---- ops ----

typedef struct {
  Text key, value;
} Param;

struct Op {
  Text verb;
  Text *words;
  Param *params;
  Reader selectors;
  u32 words_n, params_n, selectors_n;
};

static Op read_op(Reader r) {
  Op op = {.verb = read_text(field(r, "verb"))};
  Reader words = elements(field(r, "positionals"), &op.words_n), params = elements(field(r, "params"), &op.params_n);
  op.selectors = elements(field(r, "selectors"), &op.selectors_n);
  op.words = scratch(op.words_n * sizeof(Text));
  op.params = scratch(op.params_n * sizeof(Param));
  for (u32 i = 0; i < op.words_n; i++, skip(&words)) op.words[i] = read_text(field(words, "text"));
  for (u32 i = 0; i < op.params_n; i++, skip(&params)) op.params[i] = (Param){read_text(field(params, "key")), read_text(field(params, "value"))};
  return op;
}

// word returns positional i, counted from 0, or a missing text.
FCP_USED Text word(const Op *op, u32 i) { return i < op->words_n ? op->words[i] : (Text){0, 0}; }

// param returns the value of a key, or a missing text.
FCP_USED Text param(const Op *op, const char *key) {
  for (u32 i = 0; i < op->params_n; i++)
    if (same(op->params[i].key, text_of(key))) return op->params[i].value;
  return (Text){0, 0};
}

// param_int and param_number return the value of a key whose type is a number, or `otherwise` if the op does not have it.
FCP_USED double param_number(const Op *op, const char *key, double otherwise) {
  Text t = param(op, key);
  take_number(&t, &otherwise);
  return otherwise;
}

FCP_USED i64 param_int(const Op *op, const char *key, i64 otherwise) { return (i64)param_number(op, key, (double)otherwise); }

// param_pair reads the value of a key whose type is X,Y or WxH. It returns 0 if the op does not have it.
FCP_USED int param_pair(const Op *op, const char *key, double *a, double *b) {
  Text gap;
  return take_pair(param(op, key), a, b, &gap);
}

// with prints an op with one of its words or values replaced.
static Text with(const Op *op, const Text *old, Text new) {
  Text line = op->verb;
  for (u32 i = 0; i < op->words_n; i++) line = format("%t %q", line, &op->words[i] == old ? new : op->words[i]);
  for (u32 i = 0; i < op->params_n; i++) line = format("%t %t:%q", line, op->params[i].key, &op->params[i].value == old ? new : op->params[i].value);
  Reader r = op->selectors;
  for (u32 k = 0; k < op->selectors_n; k++, skip(&r)) line = format("%t %t", line, read_text(field(r, "raw")));
  return line;
}

// The elements that ops touched, oldest first.
static Text *touched;
static u32 touched_n, touched_room;

static void touch(Text id) {
  if (touched_n == touched_room) {
    touched_room = touched_room ? 2 * touched_room : 16;
    Text *more = get(touched_room * sizeof(Text));
    __builtin_memcpy(more, touched, touched_n * sizeof(Text));
    drop(touched);
    touched = more;
  }
  touched[touched_n++] = id;
}

// The elements by their names, the first of each, and by their ids: indexes from 1, or 0.
static u32 *slots, slots_mask;

static u32 *slot(const Element *all, Text id) {
  u32 h = 2166136261u;
  for (u32 i = 0; i < id.n; i++) h = (h ^ id.p[i]) * 16777619u;
  for (h &= slots_mask; slots[h] && !same(all[slots[h] - 1].id, id) && !same(all[slots[h] - 1].name, id);) h = (h + 1) & slots_mask;
  return &slots[h];
}

// every lists the elements of the document, with their ids.
static Element *every(u32 *n) {
  u32 room = 0, size = 16;
  *n = 0;
  for (Element e = {0}; domain.next(&e);) room++;
  while (size < 3 * room) size *= 2;
  Element *list = scratch((room + 1) * sizeof(Element));
  slots = scratch(size * sizeof(u32));
  slots_mask = size - 1;
  __builtin_memset(slots, 0, size * sizeof(u32));
  for (Element e = {0}; domain.next(&e); (*n)++) {
    list[*n] = (Element){e.at, e.n, keep(e.name), e.name, *n, 0};
    u32 *s = slot(list, e.name);
    if (!*s) *s = *n + 1;
    list[*n].first = *s - 1;
    list[*s - 1].twins++;
  }
  for (u32 i = 0; i < *n; i++) {
    Element *e = &list[i], *first = &list[e->first];
    u32 *s;
    e->id = e->name;
    if (first->twins == 1) continue;
    if (e == first) first->twins = 2; // counts up from here
    do e->id = format("%t#%d", e->name, (int)first->twins++ - 1);
    while (*(s = slot(list, e->id)) && *s != i + 1); // another element has this name
    *s = i + 1;
  }
  return list;
}

// id_at returns the id that a new element with this name gets if it is inserted at a place of the document.
FCP_USED Text id_at(Text name, u32 at) {
  int before = 0, all = 0;
  for (Element e = {0}; domain.next(&e);)
    if (same(e.name, name)) all++, before += e.at < at;
  return all ? format("%t#%d", name, before + 1) : keep(name);
}

static u8 lower(u8 c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; }

// alike compares names: 0 exactly, 1 ignoring case, 2 also ignoring "-", "_" and spaces, 3 whether the first is a prefix.
static int alike(Text a, Text b, int level) {
  if (level == 0) return same(a, b);
  u32 i = 0, k = 0;
  for (;;) {
    while (level > 1 && i < a.n && (a.p[i] == '-' || a.p[i] == '_' || a.p[i] == ' ')) i++;
    while (level > 1 && k < b.n && (b.p[k] == '-' || b.p[k] == '_' || b.p[k] == ' ')) k++;
    if (i == a.n) return level == 3 || k == b.n;
    if (k == b.n || lower(a.p[i]) != lower(b.p[k])) return 0;
    i++, k++;
  }
}

// is_called reports whether a reference names an element, at a level of alike.
static int is_called(const Element *e, Text ref, int level) { return ref.n && (alike(ref, e->name, level) || (e->id.p != e->name.p && alike(ref, e->id, level))); }

// find marks the element that word i of an op names. A destructive verb requires exact names: no prefixes.
static int find(const Op *op, u32 i, int exact, const Element *all, u32 n, u8 *marks) {
  Text name = op->words[i];
  u32 known = *slot(all, name);
  if (known && name.n && same(all[known - 1].id, name)) return marks[known - 1] = 1;
  for (int level = 0; level < 4; level++) {
    u32 hits = 0, first = 0;
    for (u32 k = 0; k < n; k++)
      if (is_called(&all[k], name, level) && !hits++) first = k;
    if (!hits) continue;
    if (hits == 1 && !(exact && level == 3)) return marks[first] = 1;
    Text names = {0, 0}, mended[3];
    u32 shown = 0;
    for (u32 k = first; shown < 8 && shown < hits; k++) {
      if (!is_called(&all[k], name, level)) continue;
      if (shown < 3) mended[shown] = with(op, &op->words[i], all[k].id);
      names = shown++ ? format("%t, %q", names, all[k].id) : format("%q", all[k].id);
    }
    FAIL("%s \"%t\" %s: %t%s", domain.noun, name, level == 3 && exact ? "not found; give the full name" : "is ambiguous", names, hits > 8 ? ", …" : "");
    for (u32 k = 0; k < shown && k < 3; k++) suggest(0, mended[k]);
    return 0;
  }
  FAIL("%s \"%t\" not found", domain.noun, name);
  if (n) TRY_QUERY("map");
  return 0;
}

// targets finds the elements that an op is about, in document order: what its selectors match, or what its words name, except the
// last `values` of them. It returns 0 after FAIL.
FCP_USED Element *targets(const Op *op, u32 values, int exact, u32 *n) {
  u32 all_n, names = op->words_n > values ? op->words_n - values : 0;
  Element *all = every(&all_n);
  u8 *marks = scratch(all_n + 1), *one = scratch(all_n + 1);
  __builtin_memset(marks, op->selectors_n > 0, all_n);
  *n = 0;
  if (op->words_n < values) return FAIL("%t needs %d word%s behind what it is about", op->verb, (int)values, values == 1 ? "" : "s"), (Element *)0;
  if (op->selectors_n && names) return FAIL("%t takes names or selectors, not both", op->verb), (Element *)0;
  for (u32 i = 0; i < names; i++)
    if (!find(op, i, exact, all, all_n, marks)) return 0;
  Reader r = op->selectors;
  for (u32 i = 0; i < op->selectors_n; i++, skip(&r)) {
    Text type = read_text(field(r, "type")), value = read_text(field(r, "value")), raw = read_text(field(r, "raw"));
    u8 negated = read_int(field(r, "negated")) != 0;
    __builtin_memset(one, 0, all_n);
    if (same(type, T("all"))) {
      if (value.n) return FAIL("@all takes no value"), (Element *)0;
      __builtin_memset(one, 1, all_n);
    } else if (same(type, T("recent"))) {
      u32 last = 0;
      for (u32 k = 0; k < value.n; k++) {
        if (value.p[k] < '0' || value.p[k] > '9' || k == 6) return FAIL("%t: N is a whole number from 1", raw), (Element *)0;
        last = last * 10 + value.p[k] - '0';
      }
      if (value.n && !last) return FAIL("%t: N is a whole number from 1", raw), (Element *)0;
      if (!value.n) last = 1;
      for (u32 i = touched_n; i-- && last;) {
        u32 k = *slot(all, touched[i]);
        if (k && !one[k - 1]) one[k - 1] = 1, last--;
      }
    } else {
      const Selector *s = domain.selectors;
      while (s && s->type && !same(text_of(s->type), type)) s++;
      if (!s || !s->type) return FAIL("unknown selector @%t", type), (Element *)0;
      for (u32 k = 0; k < all_n; k++) one[k] = s->matches(&all[k], value) != 0;
    }
    for (u32 k = 0; k < all_n; k++) marks[k] &= one[k] != negated;
  }
  for (u32 k = 0; k < all_n; k++)
    if (marks[k]) all[(*n)++] = all[k];
  if (!*n) return FAIL("nothing matches %t", op->selectors_n ? read_text(field(op->selectors, "raw")) : T("that")), (Element *)0;
  return all;
}

// ---- exports ----

// fcp_input starts a call.
static Reader fcp_input(void) {
  static Buf in;
  u32 n = (u32)host_input_length();
  scratch_end();
  out.n = in.n = tries_n = 0;
  need(&in, n);
  return (Reader){in.p, in.p + host_input_read(in.p, n, 0)};
}

static i32 fcp_answer(void) {
  host_output_write(out.p, out.n);
  return 0;
}

static i32 fcp_refuse(void) {
  Text t = message;
  for (u32 i = 0; i < tries_n; i++) t = format(tries[i].kind ? "%t\ntry %s: %t" : "%t\ntry%s: %t", t, tries[i].kind ? tries[i].kind : "", tries[i].text);
  host_error_set(to_host(t));
  return 1;
}

// Syntax is a parsed syntax line.
typedef struct {
  Text name;
  Param params[12];
  u32 params_n;
  int select, min, max;
} Syntax;

static int letter_or(u8 c, const char *others) {
  for (; *others; others++)
    if (c == (u8)*others) return 1;
  return (c | 32) >= 'a' && (c | 32) <= 'z';
}

static Syntax read_syntax(const char *line) {
  Syntax s = {0};
  Text t = text_of(line);
  u32 depth = 0;
  for (u32 i = 0; i < t.n;) {
    if (t.p[i] == '[' || t.p[i] == ']') depth += t.p[i] == '[' ? 1 : -1;
    if (t.p[i] == ' ' || t.p[i] == '[' || t.p[i] == ']') {
      i++;
      continue;
    }
    u32 from = i, colon = 0;
    while (i < t.n && t.p[i] != ' ' && t.p[i] != '[' && t.p[i] != ']') i++;
    Text w = {t.p + from, i - from};
    if (!s.name.p) {
      s.name = w;
      continue;
    }
    if (same(w, T("|"))) continue;
    while (colon < w.n && letter_or(w.p[colon], "0123456789-_")) colon++;
    if (colon && colon < w.n && w.p[colon] == ':' && s.params_n < 12) {
      s.params[s.params_n].key = (Text){w.p, colon};
      s.params[s.params_n++].value = (Text){w.p + colon + 1, w.n - colon - 1};
      continue;
    }
    int positional = 0, again = 0;
    for (u32 k = 0; k < w.n; k++) {
      int first = k == 0 || w.p[k - 1] == '|';
      Text part = {w.p + k, w.n - k};
      if (first && (w.p[k] == '@' || same(part, T("SEL")) || same(part, T("SEL…")))) s.select = 1;
      else positional |= first;
      again |= starts(part, T("…")) || starts(part, T("..."));
    }
    if (!positional) continue;
    s.min += depth == 0;
    if (s.max >= 0) s.max++;
    if (again) s.max = -1;
  }
  return s;
}

static void put_takes(const Syntax *s) {
  put_key("min");
  put_int(s->min);
  put_key("max");
  put_int(s->max);
  if (s->select) put_key("select"), put_true();
  put_key("params");
  put_list(s->params_n);
  for (u32 i = 0; i < s->params_n; i++) {
    put_map(2);
    put_key("key");
    put_text(s->params[i].key);
    put_key("value");
    put_text(s->params[i].value);
  }
}

static void put_described(const Syntax *s, const char *syntax, const char *summary) {
  put_key("name");
  put_text(s->name);
  pair("syntax", syntax);
  pair("summary", summary);
}

FCP_EXPORT(fcp_manifest) {
  fcp_input();
  u32 n = 0;
  put_map(9);
  put_key("abi");
  put_int(1);
  pair("domain", domain.name);
  pair("title", domain.title);
  pair("version", domain.version);
  pair("summary", domain.summary);
  put_key("extensions");
  put_list(1);
  put_text(text_of(domain.extension));
  put_key("verbs");
  while (domain.verbs[n].syntax) n++;
  put_list(n);
  for (const Verb *v = domain.verbs; v->syntax; v++) {
    Syntax s = read_syntax(v->syntax);
    put_map(7 + s.select);
    put_described(&s, v->syntax, v->summary);
    put_key("examples");
    put_list(v->example ? 1 : 0);
    if (v->example) put_text(text_of(v->example));
    put_takes(&s);
  }
  put_key("queries");
  for (n = 0; domain.queries[n].syntax;) n++;
  put_list(n);
  for (const Query *q = domain.queries; q->syntax; q++) {
    Syntax s = read_syntax(q->syntax);
    put_map(4);
    put_described(&s, q->syntax, q->summary);
    put_key("takes");
    put_map(3 + s.select);
    put_takes(&s);
  }
  put_key("selectors");
  for (n = 0; domain.selectors && domain.selectors[n].type;) n++;
  put_list(n);
  for (u32 i = 0; i < n; i++) {
    put_map(3);
    pair("type", domain.selectors[i].type);
    pair("syntax", domain.selectors[i].syntax);
    pair("summary", domain.selectors[i].summary);
  }
  return fcp_answer();
}

static void put_state(void) {
  put_key("state");
  put_map(1);
  put_key("digest");
  put_text(domain.digest());
}

static i32 answer_state(void) {
  put_map(1);
  put_state();
  return fcp_answer();
}

FCP_EXPORT(fcp_new) {
  Text text = domain.create(read_text(field(fcp_input(), "title")));
  if (!text.p) return fcp_refuse();
  doc.n = 0;
  splice(0, 0, text);
  opened = 1;
  return answer_state();
}

FCP_EXPORT(fcp_open) {
  Text data = read_text(field(fcp_input(), "data"));
  opened = 0;
  if (!domain.check(data)) return fcp_refuse();
  doc.n = 0;
  splice(0, 0, data);
  opened = 1;
  return answer_state();
}

#define FCP_NEEDS_DOCUMENT \
  if (!opened) return FAIL("no document is open"), fcp_refuse()

FCP_EXPORT(fcp_save) {
  fcp_input();
  FCP_NEEDS_DOCUMENT;
  put_map(1);
  put_key("data");
  put_bytes(document());
  return fcp_answer();
}

FCP_EXPORT(fcp_state) {
  fcp_input();
  FCP_NEEDS_DOCUMENT;
  return answer_state();
}

// check_params refuses an op with a value that is not of its key's type. A word gets the spelling of the syntax line.
static int check_params(Op *op, const char *syntax) {
  if (!op->params_n) return 1;
  Syntax s = read_syntax(syntax);
  for (Param *p = op->params; p < op->params + op->params_n; p++) {
    Text takes = {0, 0}, near = {0, 0}, why, list = {0, 0};
    for (u32 k = 0; k < s.params_n; k++)
      if (same(s.params[k].key, p->key)) takes = s.params[k].value;
    int ok = !takes.n, forms = 0;
    for (u32 i = 0; takes.n && !ok; takes = (Text){takes.p + i, takes.n - i}, i = 0, forms++) {
      while (i < takes.n && takes.p[i] != '|') i++;
      ok = accepts((Text){takes.p, i}, &p->value, &near, &why);
      list = format("%t %t", list, (Text){takes.p, i});
      i += i < takes.n;
    }
    if (ok) continue;
    FAIL("%t:%t %t", p->key, p->value, forms > 1 ? format("is not one of%t", list) : why);
    if (near.p) TRY("%t", with(op, &p->value, near));
    return 0;
  }
  return 1;
}

static int run(Reader r) {
  Op op = read_op(r);
  events_n = 0;
  kind = 0;
  tries_n = 0;
  for (const Verb *v = domain.verbs; v->syntax; v++)
    if (same(read_syntax(v->syntax).name, op.verb)) {
      int ok = check_params(&op, v->syntax) && v->run(&op);
      if (ok && kind && events_n) return 1;
      if (ok && kind && same(text_of(kind), T("unchanged"))) return 1;
      for (; events_n; events_n--) splice_all(events[events_n - 1].list, events[events_n - 1].n, 1);
      return ok ? FAIL("%t said nothing, or changed nothing", op.verb) : 0;
    }
  return FAIL("%q is no verb of %s", op.verb, domain.name);
}

static void put_result(int ok) {
  if (!ok) {
    put_map(1);
    put_key("error");
    put_map(2);
    put_key("message");
    put_text(message);
    put_key("try");
    put_list(tries_n);
    for (u32 i = 0; i < tries_n; i++) {
      put_map(2);
      pair("kind", tries[i].kind ? tries[i].kind : "op");
      put_key("text");
      put_text(tries[i].text);
    }
    return;
  }
  put_map(3);
  pair("kind", kind);
  put_key("text");
  put_text(said);
  put_key("events");
  put_list(events_n);
  for (u32 i = 0; i < events_n; i++) {
    Event *e = &events[i];
    put_map(4);
    pair("type", "splice");
    put_key("summary");
    put_text(e->summary);
    put_key("ids");
    u32 ids = 0, size = 5;
    for (u32 k = 0; k < e->n; k++) ids += e->list[k].id.n > 0, size += 9 + 5 + e->list[k].old.n + 5 + e->list[k].new.n;
    put_list(ids);
    for (u32 k = 0; k < e->n; k++)
      if (e->list[k].id.n) put_text(e->list[k].id), touch(e->list[k].id);
    put_key("data");
    sized(0xc6, size);
    put_list(3 * e->n);
    for (u32 k = 0; k < e->n; k++) {
      put_int(e->list[k].at);
      put_bytes(e->list[k].old);
      put_bytes(e->list[k].new);
    }
  }
}

FCP_EXPORT(fcp_apply) {
  Reader request = fcp_input();
  FCP_NEEDS_DOCUMENT;
  i64 each = read_int(field(request, "each"));
  u32 n, results = 0;
  touched_n = 0;
  Reader recent = elements(field(request, "recent"), &n);
  for (u32 i = 0; i < n; i++, skip(&recent)) touch(read_text(recent));
  for (u32 i = 0; i < n / 2; i++) {
    Text t = touched[i];
    touched[i] = touched[n - 1 - i];
    touched[n - 1 - i] = t;
  }
  Reader ops = elements(field(request, "ops"), &n);
  put_map(2);
  put_key("results");
  put_list(0);
  u32 mark = out.n;
  for (int ok = 1; n && (ok || each); n--, results++, skip(&ops)) put_result(ok = run(ops));
  for (u32 i = 0; i < 4; i++) out.p[mark - 1 - i] = (u8)(results >> 8 * i);
  put_state();
  return fcp_answer();
}

static i32 again(int reverse) {
  u32 n;
  Reader list = elements(field(fcp_input(), "events"), &n);
  FCP_NEEDS_DOCUMENT;
  for (; n; n--, skip(&list)) {
    Text data = read_text(field(list, "data"));
    u32 parts;
    Reader r = elements((Reader){data.p, data.p + data.n}, &parts);
    if (!parts || parts % 3) return FAIL("an event cannot be read"), fcp_refuse();
    Splice *splices = scratch(parts / 3 * sizeof(Splice));
    for (u32 k = 0; k < parts / 3; k++) {
      splices[k] = (Splice){.at = (u32)read_int(r)};
      skip(&r);
      splices[k].old = read_text(r);
      skip(&r);
      splices[k].new = read_text(r);
      skip(&r);
    }
    if (!splice_all(splices, parts / 3, reverse)) return FAIL("an event does not fit the document"), fcp_refuse();
  }
  return answer_state();
}

FCP_EXPORT(fcp_reverse) { return again(1); }
FCP_EXPORT(fcp_replay) { return again(0); }

static Buf answer;

// print appends to the answer of a query, with the verbs of format.
FCP_USED void print(const char *format, ...) {
  __builtin_va_list args;
  __builtin_va_start(args, format);
  write(&answer, format, args);
  __builtin_va_end(args);
}

FCP_EXPORT(fcp_query) {
  Op op = read_op(field(fcp_input(), "query"));
  FCP_NEEDS_DOCUMENT;
  answer.n = 0;
  for (const Query *q = domain.queries; q->syntax; q++)
    if (same(read_syntax(q->syntax).name, op.verb)) {
      if (!check_params(&op, q->syntax) || !q->run(&op)) return fcp_refuse();
      put_map(1);
      put_key("text");
      put_text((Text){answer.p, answer.n});
      return fcp_answer();
    }
  return FAIL("%q is no query of %s", op.verb, domain.name), fcp_refuse();
}
