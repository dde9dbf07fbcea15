#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "internal.h"

static const char *const sql[STATEMENTS] = {
    [BEGIN] = "BEGIN IMMEDIATE",
    [COMMIT] = "COMMIT",
    [BEGIN_READ] = "BEGIN DEFERRED",
    [COMMIT_READ] = "COMMIT",
    [VERSION] = "PRAGMA user_version",
    [SESSION] = "SELECT entries, turns, attachments, labels, bytes, updated, changes, head, model, cover, "
                "preview IS NOT NULL FROM session WHERE number = ? AND state < 2",
    [TURN] = "SELECT closed FROM turn WHERE session = ? AND number = ?",
    [ENTRY] = "INSERT INTO entry (id, uuid, kind, created, status, visibility, turn, key, lane, author, model, "
              "call_entry, call_ordinal, operation, change, salt, digest, body) "
              "VALUES (?, ?, ?, ?, 0, 0, ?, NULL, NULL, NULL, NULL, NULL, NULL, 1, ?, ?, ?, ?)",
    [QUEUE] = "INSERT OR IGNORE INTO search_queue (session, position) VALUES (?, ?)",
    [SAVE] = "UPDATE session SET entries = ?, turns = ?, attachments = ?, labels = ?, bytes = ?, changes = ?, "
             "head = ? WHERE number = ?",
    [PREVIEW] = "UPDATE session SET preview = ? WHERE number = ?",
    [MAKE_SESSION] = "INSERT INTO session (id, created, updated, head) VALUES (?, ?, ?, ?)",
    [FIND_SESSION] = "SELECT number FROM session WHERE id = ?",
    [FIND_ARTIFACT] = "SELECT number FROM artifact WHERE digest = ?",
    [FIND_LABEL] = "SELECT number, recorded FROM attachment WHERE session = ? AND label = ?",
    [ARTIFACT] = "INSERT INTO artifact (digest, size, place, created, type, width, height) "
                 "VALUES (?, ?, ?, ?, 'application/octet-stream', NULL, NULL)",
    [BLOB] = "INSERT INTO blob (number, bytes) VALUES (?, ?)",
    [ATTACH] = "INSERT INTO attachment (session, entry, turn, created, artifact, state, direction, maker, basis, "
               "label, recorded, operation, change, salt, digest) "
               "VALUES (?, NULL, NULL, ?, ?, 0, 0, 0, 0, ?, ?5, 2, ?5, ?, ?)",
    [INDEX] = "INSERT INTO search (rowid, text) VALUES (?, ?)",
    [RELOAD] = "SELECT id, uuid, kind, created, status, visibility, turn, key, lane, author, model, change, body "
               "FROM entry WHERE id BETWEEN ? AND ? ORDER BY id",
    [RELOAD_SESSION] = "SELECT entries FROM session WHERE number = ? AND state < 2",
    [ATTACHMENTS] = "SELECT a.number, a.entry, a.label, a.digest, f.digest, f.size, f.place FROM attachment AS a "
                    "LEFT JOIN artifact AS f ON f.number = a.artifact "
                    "WHERE a.session = ? AND a.entry BETWEEN ? AND ? ORDER BY a.number",
    [SCAN] = "SELECT id, body FROM entry",
};

noreturn void die(const char *what, const char *why) {
  fprintf(stderr, "KeepsakeBench: the yardstick failed: %s: %s\n", what, why);
  exit(70);
}

static void check(sqlite3 *db, int code, const char *what) {
  if (code != SQLITE_OK) die(what, sqlite3_errmsg(db));
}

static void execute(sqlite3 *db, const char *text) { check(db, sqlite3_exec(db, text, 0, 0, 0), text); }

sqlite3_stmt *prepared(Yardstick store, int which) {
  sqlite3_stmt **statement = &store->statements[which];
  if (!*statement) {
    sqlite3 *db = which == BEGIN_READ || which == COMMIT_READ || which >= RELOAD ? store->reader : store->db;
    check(db, sqlite3_prepare_v3(db, sql[which], -1, SQLITE_PREPARE_PERSISTENT, statement, 0), sql[which]);
  }
  return *statement;
}

void run(Yardstick store, sqlite3_stmt *statement) {
  int code = sqlite3_step(statement);
  while (code == SQLITE_ROW) code = sqlite3_step(statement);
  if (code != SQLITE_DONE) die(sqlite3_sql(statement), sqlite3_errmsg(store->db));
  sqlite3_reset(statement);
}

static int note_pages(void *store, sqlite3 *db, const char *name, int pages) {
  ((Yardstick)store)->pages = pages;
  return (void)db, (void)name, SQLITE_OK;
}

static sqlite3 *connect(Yardstick store, const char *path, int reading) {
  sqlite3 *db;
  int on = 1, flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  if (sqlite3_open_v2(path, &db, flags, 0) != SQLITE_OK) die(path, "can't be opened");
  sqlite3_busy_timeout(db, 5000);
  sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, 0);
  execute(db, "PRAGMA page_size = 4096; PRAGMA journal_mode = WAL; PRAGMA secure_delete = ON; "
              "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY; "
              "PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; "
              "PRAGMA checkpoint_fullfsync = ON");
  execute(db, reading ? "PRAGMA cache_size = -4000; PRAGMA query_only = ON" : "PRAGMA cache_size = -8000");
  sqlite3_wal_autocheckpoint(db, 0);
  sqlite3_file_control(db, "main", SQLITE_FCNTL_PERSIST_WAL, &on);
  if (!reading) sqlite3_wal_hook(db, note_pages, store);
  return db;
}

Yardstick yardstick_open(const char *folder, const void *schema, size_t schema_size) {
  char path[4096];
  Yardstick store = calloc(1, sizeof *store);
  if (!store || !(store->folder = strdup(folder))) die(folder, "no memory");
  snprintf(path, sizeof path, "%s/store.lock", folder);
  if ((store->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600)) < 0) die(path, strerror(errno));
  char holder[9];
  snprintf(holder, sizeof holder, "%08d", (int)getpid());
  if (pwrite(store->lock, holder, 8, 0) != 8) die(path, strerror(errno));
  snprintf(path, sizeof path, "%s/store.sqlite", folder);
  store->db = connect(store, path, 0);
  if (schema_size > 0) {
    char *text = calloc(1, schema_size + 1);
    if (!text) die(folder, "no memory");
    memcpy(text, schema, schema_size);
    execute(store->db, "BEGIN");
    execute(store->db, text);
    execute(store->db, "PRAGMA user_version = 1; COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
    free(text);
    const char *const parts[] = {"artifacts", "incoming"};
    for (int part = 0; part < 2; part++) {
      snprintf(path, sizeof path, "%s/%s", folder, parts[part]);
      if (mkdir(path, 0700) != 0) die(path, strerror(errno));
    }
    snprintf(path, sizeof path, "%s/store.sqlite", folder);
  }
  store->reader = connect(store, path, 1);
  return store;
}

void yardstick_close(Yardstick store) {
  for (int which = 0; which < STATEMENTS; which++) sqlite3_finalize(store->statements[which]);
  sqlite3_close(store->reader);
  sqlite3_close(store->db);
  close(store->lock);
  free(store->folder);
  free(store);
}

/// A transaction begins as Keepsake's do: the lock, is it still the one at its path, BEGIN, is the schema still ours.
void begin(Yardstick store) {
  char path[4096], holder[8];
  struct stat ours, there;
  if (flock(store->lock, LOCK_EX | LOCK_NB) != 0 && flock(store->lock, LOCK_EX) != 0) die("flock", strerror(errno));
  snprintf(path, sizeof path, "%s/store.lock", store->folder);
  if (pread(store->lock, holder, 8, 0) != 8 || fstat(store->lock, &ours) != 0 || lstat(path, &there) != 0 ||
      ours.st_ino != there.st_ino)
    die(path, "was replaced");
  run(store, prepared(store, BEGIN));
  run(store, prepared(store, VERSION));
}

/// Commits, and checkpoints about every 1,000 pages. Nothing here keeps a checkpoint from being complete, so the log
/// starts anew by itself and never needs a RESTART.
void commit(Yardstick store) {
  run(store, prepared(store, COMMIT));
  if (store->pages < store->attempted) store->attempted = 0;
  if (store->pages >= store->attempted + 1000) {
    store->attempted = store->pages;
    int code = sqlite3_wal_checkpoint_v2(store->db, "main", SQLITE_CHECKPOINT_PASSIVE, 0, 0);
    check(store->db, code, "checkpoint");
  }
  flock(store->lock, LOCK_UN);
}

void yardstick_pin(Yardstick store) {
  run(store, prepared(store, BEGIN_READ));
  sqlite3_bind_int64(prepared(store, RELOAD_SESSION), 1, 1);
  run(store, prepared(store, RELOAD_SESSION));
}

void yardstick_unpin(Yardstick store) { run(store, prepared(store, COMMIT_READ)); }

const char *yardstick_sqlite_version(void) { return sqlite3_libversion(); }
