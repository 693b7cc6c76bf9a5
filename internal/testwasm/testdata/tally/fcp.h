// The parts of ABI 1 that a domain in C needs, without any library: the calling convention, MessagePack, and lines of text.
// docs/abi.md is the contract. A plugin is a single translation unit that includes this header.
#pragma once

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef int i32;
typedef long long i64;

// Text is UTF-8 with a length. It does not own its bytes.
typedef struct {
  const u8 *p;
  u32 n;
} Text;

#define T(literal) ((Text){(const u8 *)(literal), sizeof(literal) - 1})

static int same(Text a, Text b) {
  if (a.n != b.n) return 0;
  for (u32 i = 0; i < a.n; i++)
    if (a.p[i] != b.p[i]) return 0;
  return 1;
}

static Text cstr(const char *s) {
  u32 n = 0;
  while (s[n]) n++;
  return (Text){(const u8 *)s, n};
}

// ---- the host ----

#define HOST(type, name, ...) __attribute__((import_module("extism:host/env"), import_name(#name))) extern type host_##name(__VA_ARGS__)
#define EXPORT(name) __attribute__((export_name(#name))) i32 name(void)

HOST(u64, input_length, void);
HOST(i32, input_load_u8, u64 offset);
HOST(u64, input_load_u64, u64 offset);
HOST(u64, alloc, u64 length);
HOST(void, store_u8, u64 offset, i32 value);
HOST(void, store_u64, u64 offset, u64 value);
HOST(void, output_set, u64 offset, u64 length);
HOST(void, error_set, u64 handle);

// The memory after the module's own data is reused by each call: it holds the input, followed by the output as it grows.
extern u8 __heap_base;
static u8 *out_start, *out;

static void reserve(u8 *end) {
  u64 have = (u64)__builtin_wasm_memory_size(0) << 16;
  if ((u64)(u32)end <= have) return;
  u64 pages = ((u64)(u32)end - have + 0xffff) >> 16;
  if (__builtin_wasm_memory_grow(0, (u32)pages) == (u32)-1) __builtin_trap();
}

// to_host copies a range of memory into a new block of the host.
static u64 to_host(const u8 *p, u32 n) {
  u64 block = host_alloc(n);
  if (!block && n) __builtin_trap();
  u32 i = 0;
  for (; i + 8 <= n; i += 8) {
    u64 eight;
    __builtin_memcpy(&eight, p + i, 8);
    host_store_u64(block + i, eight);
  }
  for (; i < n; i++) host_store_u8(block + i, p[i]);
  return block;
}

// ---- reading MessagePack ----

// Reader is positioned before a value; an empty Reader is a missing value. The host sends no malformed messages, so reading one traps.
typedef struct {
  const u8 *p, *end;
} Reader;

enum { NIL, BOOL, INT, TEXT, BYTES, LIST, MAP, OTHER };

// Head is the beginning of a value: its kind, and in n its value (BOOL, INT), its length in bytes (TEXT, BYTES, OTHER) or the
// number of its elements.
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

static Text text(Reader r) {
  Head h = head(&r);
  return h.kind == TEXT || h.kind == BYTES ? take(&r, h.n) : (Text){0, 0};
}

static i64 integer(Reader r) {
  Head h = head(&r);
  return h.kind == INT || h.kind == BOOL ? h.n : 0;
}

// field returns a Reader before the value of a key of a map.
static Reader field(Reader map, const char *key) {
  Reader value = {0, 0};
  Head h = head(&map);
  if (h.kind != MAP) return value;
  for (; h.n > 0; h.n--) {
    Text k = text(map);
    skip(&map);
    if (same(k, cstr(key))) value = map;
    skip(&map);
  }
  return value;
}

// elements returns a Reader before the first element of a list, and sets *n to the number of elements.
static Reader elements(Reader list, u32 *n) {
  Head h = head(&list);
  *n = h.kind == LIST ? (u32)h.n : 0;
  return list;
}

// ---- writing MessagePack ----

static void put(const u8 *p, u32 n) {
  reserve(out + n);
  __builtin_memcpy(out, p, n);
  out += n;
}

static void put_byte(u8 b) { put(&b, 1); }

static void put_number(u64 v, u32 bytes) {
  while (bytes--) put_byte((u8)(v >> 8 * bytes));
}

static void put_map(u32 n) { put_byte(0x80 | n); } // up to 15 keys
static void put_list(u32 n) { put_byte(0x90 | n); } // up to 15 elements
static void put_true(void) { put_byte(0xc3); }

static void put_int(i64 v) {
  put_byte(0xd3);
  put_number((u64)v, 8);
}

static void put_text(Text t) {
  if (t.n < 32) {
    put_byte(0xa0 | t.n);
  } else {
    put_byte(0xdb);
    put_number(t.n, 4);
  }
  put(t.p, t.n);
}

static void put_bytes(Text t) {
  put_byte(0xc6);
  put_number(t.n, 4);
  put(t.p, t.n);
}

static void key(const char *k) { put_text(cstr(k)); }

static void pair(const char *k, const char *v) {
  key(k);
  put_text(cstr(v));
}

// For values whose size is known only after they are written: begin writes the head (0xdb text, 0xc6 bytes, 0xdd list) with
// size 0, settle fills in the size, and end computes it in bytes.
static u32 begin(u8 type) {
  put_byte(type);
  put_number(0, 4);
  return (u32)(out - out_start);
}

static void settle(u32 mark, u32 n) {
  for (u32 i = 0; i < 4; i++) out_start[mark - 1 - i] = (u8)(n >> 8 * i);
}

static void end(u32 mark) { settle(mark, (u32)(out - out_start) - mark); }

// ---- lines of text ----

// Line is a buffer for a text; bytes that do not fit are dropped.
typedef struct {
  u32 n;
  u8 b[1024];
} Line;

static Text of(const Line *l) { return (Text){l->b, l->n}; }

static void letter(Line *l, u8 b) {
  if (l->n < sizeof l->b) l->b[l->n++] = b;
}

// quoted appends a name so that it is one positional of an op: quoted if necessary.
static void quoted(Line *l, Text t) {
  int bare = t.n > 0;
  for (u32 i = 0; i < t.n; i++) {
    u8 b = t.p[i];
    if (!(b >= 0x80 || (b >= '0' && b <= '9') || ((b | 32) >= 'a' && (b | 32) <= 'z') || b == '_')) bare = 0;
  }
  if (!bare) letter(l, '"');
  for (u32 i = 0; i < t.n; i++) {
    int tab = t.p[i] == '\t';
    if (tab || t.p[i] == '"' || t.p[i] == '\\') letter(l, '\\');
    letter(l, tab ? 't' : t.p[i]);
  }
  if (!bare) letter(l, '"');
}

static void decimal(Line *l, i64 v) {
  u8 digits[20];
  u32 n = 0;
  u64 rest = v < 0 ? 0 - (u64)v : (u64)v;
  do digits[n++] = '0' + rest % 10;
  while (rest /= 10);
  if (v < 0) letter(l, '-');
  while (n) letter(l, digits[--n]);
}

// say appends a formatted text to a line: %t is a Text, %q a Text as one positional, %d an i64.
static void say(Line *l, const char *format, ...) {
  __builtin_va_list args;
  __builtin_va_start(args, format);
  for (; *format; format++) {
    if (*format != '%') {
      letter(l, (u8)*format);
      continue;
    }
    switch (*++format) {
    case 'd': decimal(l, __builtin_va_arg(args, i64)); break;
    case 'q': quoted(l, __builtin_va_arg(args, Text)); break;
    case 't': {
      Text t = __builtin_va_arg(args, Text);
      for (u32 i = 0; i < t.n; i++) letter(l, t.p[i]);
    }
    }
  }
  __builtin_va_end(args);
}

// ---- errors ----

static Line message, tries[3];
static u32 tries_n;

// FAIL sets the error message and evaluates to 0; TRY adds a suggestion.
#define FAIL(...) (tries_n = 0, message.n = 0, say(&message, __VA_ARGS__), 0)
#define TRY(...) (tries_n < 3 ? (tries[tries_n].n = 0, say(&tries[tries_n++], __VA_ARGS__)) : (void)0)

static void put_error(void) {
  put_map(2);
  key("message");
  put_text(of(&message));
  key("try");
  put_list(tries_n);
  for (u32 i = 0; i < tries_n; i++) put_text(of(&tries[i]));
}

// input starts a call: it copies the input and resets the output.
static Reader input(void) {
  u32 n = (u32)host_input_length();
  u8 *in = (u8 *)(((u32)&__heap_base + 7) & ~7u);
  reserve(in + n);
  u32 i = 0;
  for (; i + 8 <= n; i += 8) {
    u64 eight = host_input_load_u64(i);
    __builtin_memcpy(in + i, &eight, 8);
  }
  for (; i < n; i++) in[i] = (u8)host_input_load_u8(i);
  out = out_start = in + n;
  return (Reader){in, in + n};
}

// answer ends a call with the output; refuse ends it with the error message.
static i32 answer(void) {
  u32 n = (u32)(out - out_start);
  host_output_set(to_host(out_start, n), n);
  return 0;
}

// ask ends a call with Requests as its output; fcp_resume gets the results. Hosts that do not support requests see a refusal.
static i32 ask(void) {
  const char *old = "it asks for something, which needs a newer fcp-host";
  host_error_set(to_host((const u8 *)old, cstr(old).n));
  answer();
  return 2;
}

static i32 refuse(void) {
  out = out_start;
  put(message.b, message.n);
  for (u32 i = 0; i < tries_n; i++) {
    put((const u8 *)"\ntry: ", 6);
    put(tries[i].b, tries[i].n);
  }
  host_error_set(to_host(out_start, (u32)(out - out_start)));
  return 1;
}
