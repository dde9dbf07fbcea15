#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"

enum { ATTACH_CHANGE = 2, PIECE = 256 << 10, PIECES = 16, IN_A_ROW = 0, IN_A_FILE = 1 };

static void sync_file(int file, const char *path) {
#ifdef __APPLE__
  if (fcntl(file, F_FULLFSYNC) != 0) die(path, strerror(errno));
#else
  if (fdatasync(file) != 0) die(path, strerror(errno));
#endif
}

static void sync_folder(const char *path) {
  int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0 || fsync(folder) != 0) die(path, strerror(errno));
  close(folder);
}

static void write_all(int file, const void *bytes, size_t size, const char *path) {
  for (const char *from = bytes; size > 0;) {
    ssize_t count = write(file, from, size);
    if (count < 0 && errno != EINTR) die(path, strerror(errno));
    if (count > 0) from += count, size -= (size_t)count;
  }
}

/// The row of an artifact that is new, and of its attachment; everything else in them is as good as empty.
static void attach(Yardstick store, int64_t session, const uint8_t digest[32], int64_t size, int place,
                   const void *bytes) {
  session_row row;
  load(store, session, &row);
  sqlite3_stmt *find = prepared(store, FIND_ARTIFACT);
  sqlite3_bind_blob(find, 1, digest, 32, SQLITE_STATIC);
  if (sqlite3_step(find) == SQLITE_ROW) die("put", "these bytes are in the store already");
  sqlite3_reset(find);
  sqlite3_stmt *artifact = prepared(store, ARTIFACT);
  sqlite3_bind_blob(artifact, 1, digest, 32, SQLITE_STATIC);
  sqlite3_bind_int64(artifact, 2, size);
  sqlite3_bind_int64(artifact, 3, place);
  sqlite3_bind_int64(artifact, 4, now());
  run(store, artifact);
  int64_t number = sqlite3_last_insert_rowid(store->db);
  if (place == IN_A_ROW) {
    sqlite3_stmt *blob = prepared(store, BLOB);
    sqlite3_bind_int64(blob, 1, number);
    sqlite3_bind_blob64(blob, 2, bytes, (sqlite3_uint64)size, SQLITE_STATIC);
    run(store, blob);
  }

  char label[32];
  int length = snprintf(label, sizeof label, "file_%lld", (long long)++row.labels);
  sqlite3_stmt *taken = prepared(store, FIND_LABEL);
  sqlite3_bind_int64(taken, 1, session);
  sqlite3_bind_text(taken, 2, label, length, SQLITE_STATIC);
  run(store, taken);
  uint8_t salt[16], link[32];
  random_bytes(salt, 16);
  int64_t created = now();
  canonical columns;
  start(&columns, "keepsake.attachment.1");
  for (int column = 0; column < 6; column++) add_null(&columns);
  add_int(&columns, created);
  add_blob(&columns, digest, 32);
  for (int column = 0; column < 4; column++) add_int(&columns, 0);
  for (int column = 0; column < 5; column++) add_null(&columns);
  add_text(&columns, label, (size_t)length);
  for (int column = 0; column < 6; column++) add_null(&columns);
  add_blob(&columns, salt, 16);
  finish(&columns, link);
  add_link(&row, ATTACH_CHANGE, -1, link);
  sqlite3_stmt *insert = prepared(store, ATTACH);
  sqlite3_bind_int64(insert, 1, session);
  sqlite3_bind_int64(insert, 2, created);
  sqlite3_bind_int64(insert, 3, number);
  sqlite3_bind_text(insert, 4, label, length, SQLITE_STATIC);
  sqlite3_bind_int64(insert, 5, row.changes);
  sqlite3_bind_blob(insert, 6, salt, 16, SQLITE_STATIC);
  sqlite3_bind_blob(insert, 7, link, 32, SQLITE_STATIC);
  run(store, insert);
  row.attachments++;
  row.bytes += size;
  save(store, &row);
}

void yardstick_put(Yardstick store, int64_t session, const void *bytes, int32_t size) {
  uint8_t digest[32];
  yardstick_hash(bytes, (size_t)size, digest);
  begin(store);
  attach(store, session, digest, size, IN_A_ROW, bytes);
  commit(store);
}

/// Pieces go round: one thread reads and writes them, the other hashes them.
typedef struct {
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  uint8_t *pieces;
  size_t sizes[PIECES];
  int64_t filled, hashed;
  int is_ended;
  hash_state hash;
} line;

static void *hash_pieces(void *work) {
  line *line = work;
  pthread_mutex_lock(&line->mutex);
  while (1) {
    while (line->hashed == line->filled && !line->is_ended) pthread_cond_wait(&line->changed, &line->mutex);
    if (line->hashed == line->filled) break;
    int64_t piece = line->hashed % PIECES;
    pthread_mutex_unlock(&line->mutex);
    hash_add(&line->hash, line->pieces + piece * PIECE, line->sizes[piece]);
    pthread_mutex_lock(&line->mutex);
    line->hashed++;
    pthread_cond_signal(&line->changed);
  }
  pthread_mutex_unlock(&line->mutex);
  return NULL;
}

/// Copies a file to the place of a new one and hashes it; what it wrote is on the disk afterwards.
static int64_t copy(const char *from, const char *to, uint8_t digest[32]) {
  int source = open(from, O_RDONLY | O_CLOEXEC), target = open(to, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  struct stat status;
  if (source < 0 || target < 0 || fstat(source, &status) != 0) die(to, strerror(errno));
  int threaded = status.st_size >= 4 << 20;
  line line = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
  if (!(line.pieces = aligned_alloc(4096, (size_t)PIECE * PIECES))) die(to, "no memory");
  hash_begin(&line.hash);
  pthread_t thread;
  if (threaded && pthread_create(&thread, NULL, hash_pieces, &line) != 0) die(to, "no thread");
  int64_t total = 0, started = 0;
  while (total < status.st_size) {
    pthread_mutex_lock(&line.mutex);
    while (threaded && line.filled - line.hashed == PIECES) pthread_cond_wait(&line.changed, &line.mutex);
    pthread_mutex_unlock(&line.mutex);
    int64_t piece = line.filled % PIECES;
    uint8_t *bytes = line.pieces + piece * PIECE;
    ssize_t count = read(source, bytes, PIECE);
    if (count <= 0) die(from, "it changed");
    line.sizes[piece] = (size_t)count;
    if (!threaded) hash_add(&line.hash, bytes, (size_t)count);
    pthread_mutex_lock(&line.mutex);
    line.filled++;
    pthread_cond_signal(&line.changed);
    pthread_mutex_unlock(&line.mutex);
    write_all(target, bytes, (size_t)count, to);
    total += count;
#ifdef __linux__
    if (total - started >= 8 << 20) {
      sync_file_range(target, started, total - started, SYNC_FILE_RANGE_WRITE);
      started = total;
    }
#endif
  }
  if (fchmod(target, 0400) != 0) die(to, strerror(errno));
  sync_file(target, to);
  if (threaded) {
    pthread_mutex_lock(&line.mutex);
    line.is_ended = 1;
    pthread_cond_signal(&line.changed);
    pthread_mutex_unlock(&line.mutex);
    pthread_join(thread, NULL);
  }
  hash_end(&line.hash, digest);
  free(line.pieces);
  close(source);
  close(target);
  (void)started;
  return total;
}

void yardstick_put_file(Yardstick store, int64_t session, const char *path) {
  char incoming[4096], folder[4096], artifacts[4096], final[8192], hex[65];
  uint8_t digest[32];
  snprintf(incoming, sizeof incoming, "%s/incoming/new", store->folder);
  int64_t size = copy(path, incoming, digest);
  for (int byte = 0; byte < 32; byte++) snprintf(hex + 2 * byte, 3, "%02x", digest[byte]);
  begin(store);
  snprintf(artifacts, sizeof artifacts, "%s/artifacts", store->folder);
  snprintf(folder, sizeof folder, "%s/artifacts/%.2s", store->folder, hex);
  if (mkdir(folder, 0700) == 0) sync_folder(artifacts);
  else if (errno != EEXIST) die(folder, strerror(errno));
  snprintf(final, sizeof final, "%s/%s", folder, hex + 2);
  if (rename(incoming, final) != 0) die(final, strerror(errno));
  sync_folder(folder);
  attach(store, session, digest, size, IN_A_FILE, NULL);
  commit(store);
}

int yardstick_scratch(const char *path, int32_t size) {
  int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  char *zeros = calloc(1, (size_t)size);
  if (file < 0 || !zeros) die(path, strerror(errno));
  write_all(file, zeros, (size_t)size, path);
  sync_file(file, path);
  free(zeros);
  return file;
}

void yardstick_overwrite(int file, const void *bytes, int32_t size) {
  if (pwrite(file, bytes, (size_t)size, 0) != size) die("overwrite", strerror(errno));
  sync_file(file, "overwrite");
}

void yardstick_close_scratch(int file) { close(file); }

void yardstick_create_file(const char *folder, const char *name, const void *bytes, size_t size) {
  char temporary[4096], final[4096];
  snprintf(temporary, sizeof temporary, "%s/.new-%s", folder, name);
  snprintf(final, sizeof final, "%s/%s", folder, name);
  int file = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) die(temporary, strerror(errno));
  write_all(file, bytes, size, temporary);
  sync_file(file, temporary);
  close(file);
  if (rename(temporary, final) != 0) die(final, strerror(errno));
  sync_folder(folder);
}

int64_t yardstick_read_file(const char *path, int64_t size) {
  int file = open(path, O_RDONLY | O_CLOEXEC);
  char *room = malloc((size_t)size);
  if (file < 0 || !room) die(path, strerror(errno));
  int64_t total = 0;
  for (ssize_t count; total < size && (count = read(file, room + total, (size_t)(size - total))) > 0;) total += count;
  close(file);
  // What was read is used, so that the compiler doesn't take it for nothing.
  int64_t sum = total + room[size / 2] % 2;
  free(room);
  return sum;
}
