#include <stdlib.h>
#include <string.h>

#include "internal.h"

enum { PROMPT = 1, RESPONSE = 5, APPEND = 1 };

int64_t yardstick_make_session(Yardstick store) {
  uint8_t id[16], head[32];
  canonical row;
  random_bytes(id, 16);
  int64_t created = now();
  start(&row, "keepsake.session.1");
  add_blob(&row, id, 16);
  add_int(&row, created);
  finish(&row, head);
  begin(store);
  sqlite3_stmt *make = prepared(store, MAKE_SESSION);
  sqlite3_bind_blob(make, 1, id, 16, SQLITE_STATIC);
  sqlite3_bind_int64(make, 2, created);
  sqlite3_bind_int64(make, 3, created);
  sqlite3_bind_blob(make, 4, head, 32, SQLITE_STATIC);
  run(store, make);
  int64_t number = sqlite3_last_insert_rowid(store->db);
  commit(store);
  return number;
}

int64_t yardstick_find_session(Yardstick store, const void *id) {
  sqlite3_stmt *find = prepared(store, FIND_SESSION);
  sqlite3_bind_blob(find, 1, id, 16, SQLITE_STATIC);
  if (sqlite3_step(find) != SQLITE_ROW) die("session", "it is not there");
  int64_t number = sqlite3_column_int64(find, 0);
  sqlite3_reset(find);
  return number;
}

void load(Yardstick store, int64_t session, session_row *row) {
  sqlite3_stmt *find = prepared(store, SESSION);
  sqlite3_bind_int64(find, 1, session);
  if (sqlite3_step(find) != SQLITE_ROW) die("session", "it is not there");
  int64_t *const counters[] = {
      &row->entries, &row->turns, &row->attachments, &row->labels, &row->bytes, &row->updated, &row->changes};
  for (int column = 0; column < 7; column++) *counters[column] = sqlite3_column_int64(find, column);
  row->number = session;
  row->stored_updated = row->updated;
  memcpy(row->head, sqlite3_column_blob(find, 7), 32);
  row->has_preview = sqlite3_column_int(find, 10);
  row->preview = NULL;
  sqlite3_reset(find);
}

void save(Yardstick store, session_row *row) {
  sqlite3_stmt *update = prepared(store, SAVE);
  const int64_t counters[] = {row->entries, row->turns, row->attachments, row->labels, row->bytes, row->changes};
  for (int column = 0; column < 6; column++) sqlite3_bind_int64(update, column + 1, counters[column]);
  sqlite3_bind_blob(update, 7, row->head, 32, SQLITE_STATIC);
  sqlite3_bind_int64(update, 8, row->number);
  run(store, update);
  if (!row->preview) return;
  sqlite3_stmt *preview = prepared(store, PREVIEW);
  sqlite3_bind_text(preview, 1, row->preview, -1, SQLITE_STATIC);
  sqlite3_bind_int64(preview, 2, row->number);
  run(store, preview);
  free(row->preview);
}

/// Writes `{"v":1,"segments":[{"text":"…"}]}`; the room has six bytes for each of the text's and 40 more.
static size_t encode(const uint8_t *text, int32_t size, uint8_t *body) {
  static const char head[] = "{\"v\":1,\"segments\":[{\"text\":\"", tail[] = "\"}]}", hex[] = "0123456789abcdef";
  uint8_t *to = body;
  memcpy(to, head, sizeof head - 1);
  to += sizeof head - 1;
  for (int32_t at = 0; at < size;) {
    int32_t plain = at;
    while (plain < size && text[plain] >= 0x20 && text[plain] != '"' && text[plain] != '\\') plain++;
    memcpy(to, text + at, (size_t)(plain - at));
    to += plain - at;
    if ((at = plain) == size) break;
    uint8_t byte = text[at++];
    const char *known = strchr("\"\"\\\\\bb\ff\nn\rr\tt", byte);
    *to++ = '\\';
    if (byte != 0 && known) {
      *to++ = (uint8_t)(byte < 0x20 ? known[1] : byte);
    } else {
      memcpy(to, "u00", 3);
      to[3] = (uint8_t)hex[byte >> 4];
      to[4] = (uint8_t)hex[byte & 15];
      to += 5;
    }
  }
  memcpy(to, tail, sizeof tail - 1);
  return (size_t)(to - body) + sizeof tail - 1;
}

/// The turn of a new entry: a prompt begins one, unless one was opened for it.
static void begin_turn(Yardstick store, session_row *row) {
  if (row->turns > 0) {
    sqlite3_stmt *find = prepared(store, TURN);
    sqlite3_bind_int64(find, 1, row->number);
    sqlite3_bind_int64(find, 2, row->turns);
    run(store, find);
  }
  row->turns++;
}

static void append(Yardstick store, session_row *row, const uint8_t *body, size_t size, const uint8_t *random,
                   int kind, int64_t created) {
  const uint8_t *uuid = random, *salt = random + 16;
  uint8_t digest[32];
  hash_state hash;
  canonical columns;
  hash_begin(&hash);
  hash_add(&hash, salt, 16);
  hash_add(&hash, body, size);
  hash_end(&hash, digest);
  if (kind == PROMPT) begin_turn(store, row);
  start(&columns, "keepsake.entry.1");
  add_blob(&columns, uuid, 16);
  add_int(&columns, kind);
  add_int(&columns, created);
  add_int(&columns, 0);
  add_int(&columns, 0);
  if (row->turns > 0) add_int(&columns, row->turns); else add_null(&columns);
  for (int column = 0; column < 6; column++) add_null(&columns);
  add_blob(&columns, digest, 32);
  finish(&columns, digest);
  add_link(row, APPEND, row->entries, digest);

  sqlite3_stmt *insert = prepared(store, ENTRY);
  sqlite3_bind_int64(insert, 1, row->number << 24 | row->entries);
  sqlite3_bind_blob(insert, 2, uuid, 16, SQLITE_STATIC);
  sqlite3_bind_int64(insert, 3, kind);
  sqlite3_bind_int64(insert, 4, created);
  if (row->turns > 0) sqlite3_bind_int64(insert, 5, row->turns); else sqlite3_bind_null(insert, 5);
  sqlite3_bind_int64(insert, 6, row->changes);
  sqlite3_bind_blob(insert, 7, salt, 16, SQLITE_STATIC);
  sqlite3_bind_blob(insert, 8, digest, 32, SQLITE_STATIC);
  sqlite3_bind_text(insert, 9, (const char *)body, (int)size, SQLITE_STATIC);
  run(store, insert);
  row->entries++;
  row->bytes += (int64_t)size;
}

void yardstick_append(
    Yardstick store, int64_t session, int32_t count, const void *texts, const int32_t *sizes, int encoded) {
  int32_t longest = 0;
  for (int32_t index = 0; index < count; index++) longest = sizes[index] > longest ? sizes[index] : longest;
  uint8_t *room = malloc((size_t)longest * 6 + 40), *random = malloc((size_t)count * 32);
  if (!room || !random) die("append", "no memory");
  random_bytes(random, (size_t)count * 32);
  int64_t created = now();
  session_row row;
  begin(store);
  load(store, session, &row);
  int64_t first = row.entries;
  const uint8_t *text = texts;
  for (int32_t index = 0; index < count; index++) {
    int kind = row.entries % 2 == 0 ? PROMPT : RESPONSE;
    if (kind == PROMPT && !row.has_preview) {
      row.preview = strndup((const char *)text, 159);
      row.has_preview = 1;
    }
    size_t size = encoded ? (size_t)sizes[index] : encode(text, sizes[index], room);
    append(store, &row, encoded ? text : room, size, random + index * 32, kind, created);
    text += sizes[index];
  }
  sqlite3_stmt *queue = prepared(store, QUEUE);
  sqlite3_bind_int64(queue, 1, session);
  sqlite3_bind_int64(queue, 2, first);
  run(store, queue);
  save(store, &row);
  commit(store);
  free(room);
  free(random);
}

void yardstick_index(Yardstick store, int32_t count, const void *texts, const int32_t *sizes) {
  const char *text = texts;
  for (int32_t index = 0; index < count; index++) {
    if (index % 256 == 0) begin(store);
    sqlite3_stmt *insert = prepared(store, INDEX);
    sqlite3_bind_int64(insert, 1, ++store->indexed);
    sqlite3_bind_text(insert, 2, text, sizes[index], SQLITE_STATIC);
    run(store, insert);
    text += sizes[index];
    if (index % 256 == 255 || index == count - 1) commit(store);
  }
}

int64_t yardstick_reload(Yardstick store, int64_t session, int64_t from, int64_t end) {
  int64_t sum = 0;
  run(store, prepared(store, BEGIN_READ));
  sqlite3_bind_int64(prepared(store, RELOAD_SESSION), 1, session);
  run(store, prepared(store, RELOAD_SESSION));
  sqlite3_stmt *entry = prepared(store, RELOAD);
  sqlite3_bind_int64(entry, 1, session << 24 | from);
  sqlite3_bind_int64(entry, 2, session << 24 | (end - 1));
  while (sqlite3_step(entry) == SQLITE_ROW) {
    sum += sqlite3_column_int64(entry, 0) + *(const uint8_t *)sqlite3_column_blob(entry, 1);
    for (int column = 2; column < 7; column++) sum += sqlite3_column_int64(entry, column);
    for (int column = 7; column < 11; column++) sum += sqlite3_column_type(entry, column);
    sum += sqlite3_column_int64(entry, 11);
    // Every byte is looked at once: pages that the body overflows to are read, as they are by whoever wants the text.
    const char *body = (const char *)sqlite3_column_text(entry, 12);
    size_t size = (size_t)sqlite3_column_bytes(entry, 12);
    sum += memchr(body, 0, size) ? 0 : (int64_t)size;
  }
  sqlite3_reset(entry);
  sqlite3_stmt *attachment = prepared(store, ATTACHMENTS);
  sqlite3_bind_int64(attachment, 1, session);
  sqlite3_bind_int64(attachment, 2, session << 24 | from);
  sqlite3_bind_int64(attachment, 3, session << 24 | (end - 1));
  while (sqlite3_step(attachment) == SQLITE_ROW) sum += sqlite3_column_int64(attachment, 0);
  sqlite3_reset(attachment);
  run(store, prepared(store, COMMIT_READ));
  return sum;
}

int64_t yardstick_scan(Yardstick store) {
  int64_t sum = 0;
  sqlite3_stmt *scan = prepared(store, SCAN);
  int code;
  while ((code = sqlite3_step(scan)) == SQLITE_ROW) {
    const uint8_t *body = sqlite3_column_blob(scan, 1);
    sum += sqlite3_column_int64(scan, 0) + sqlite3_column_bytes(scan, 1) + body[0];
  }
  if (code != SQLITE_DONE) die("scan", sqlite3_errmsg(store->reader));
  sqlite3_reset(scan);
  return sum;
}
