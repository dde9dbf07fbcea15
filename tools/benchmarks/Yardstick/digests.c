#include <string.h>
#include <sys/random.h>
#include <sys/time.h>

#include "internal.h"

#ifdef __APPLE__
void hash_begin(hash_state *state) { CC_SHA256_Init(state); }
void hash_add(hash_state *state, const void *bytes, size_t size) {
  for (const char *from = bytes; size > 0;) {
    CC_LONG some = size > 1 << 30 ? 1 << 30 : (CC_LONG)size;
    CC_SHA256_Update(state, from, some);
    from += some;
    size -= some;
  }
}
void hash_end(hash_state *state, uint8_t digest[32]) { CC_SHA256_Final(digest, state); }
#else
void hash_begin(hash_state *state) { SHA256_Init(state); }
void hash_add(hash_state *state, const void *bytes, size_t size) { SHA256_Update(state, bytes, size); }
void hash_end(hash_state *state, uint8_t digest[32]) { SHA256_Final(digest, state); }
#endif

void yardstick_hash(const void *bytes, size_t size, void *digest) {
  hash_state state;
  hash_begin(&state);
  hash_add(&state, bytes, size);
  hash_end(&state, digest);
}

void put_int(uint8_t *to, int64_t value) {
  for (int place = 0; place < 8; place++) to[place] = (uint8_t)((uint64_t)value >> (56 - 8 * place));
}

static void add(canonical *row, const void *bytes, size_t size) {
  if (row->count + size > sizeof row->bytes) die("digest", "the row has more bytes than a yardstick's rows have");
  if (size > 0) memcpy(row->bytes + row->count, bytes, size);
  row->count += size;
}

static void add_sized(canonical *row, uint8_t type, const void *bytes, size_t size) {
  uint8_t head[9] = {type};
  put_int(head + 1, (int64_t)size);
  add(row, head, 9);
  add(row, bytes, size);
}

void start(canonical *row, const char *domain) {
  row->count = 0;
  add(row, domain, strlen(domain));
}
void add_null(canonical *row) { add(row, "", 1); }
void add_int(canonical *row, int64_t value) {
  uint8_t bytes[9] = {1};
  put_int(bytes + 1, value);
  add(row, bytes, 9);
}
void add_text(canonical *row, const char *text, size_t size) { add_sized(row, 2, text, size); }
void add_blob(canonical *row, const void *bytes, size_t size) { add_sized(row, 3, bytes, size); }
void finish(const canonical *row, uint8_t digest[32]) { yardstick_hash(row->bytes, row->count, digest); }

void add_link(session_row *row, int operation, int64_t position, const uint8_t digest[32]) {
  canonical link;
  uint8_t numbers[24];
  put_int(numbers, ++row->changes);
  put_int(numbers + 8, operation);
  put_int(numbers + 16, position);
  start(&link, "keepsake.link.1");
  add(&link, row->head, 32);
  add(&link, numbers, 24);
  add(&link, digest, 32);
  finish(&link, row->head);
}

int64_t now(void) {
  struct timeval time;
  gettimeofday(&time, NULL);
  return (int64_t)time.tv_sec * 1000000 + time.tv_usec;
}

void random_bytes(void *room, size_t size) {
  for (size_t done = 0; done < size; done += 256) {
    if (getentropy((char *)room + done, size - done < 256 ? size - done : 256) != 0) die("random bytes", "none");
  }
}
