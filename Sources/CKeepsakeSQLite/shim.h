#pragma once

// SQLite's C interface, and what Swift cannot import of it: cast macros and variadic functions.
#include <sqlite3.h>

/// `sqlite3_db_config` for the options that take a boolean and report what is now in force.
static inline int keepsake_sqlite3_db_config_flag(sqlite3 *db, int option, int on, int *now) {
  return sqlite3_db_config(db, option, on, now);
}

/// Binds UTF-8 text; SQLite copies it when `copied` is not 0, else it must outlive the binding.
/// A null pointer stands for empty text here: SQLite itself would bind NULL.
static inline int keepsake_sqlite3_bind_text(
    sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count, int copied) {
  return sqlite3_bind_text64(
      statement, index, bytes ? (const char *)bytes : "", bytes ? count : 0,
      copied ? SQLITE_TRANSIENT : SQLITE_STATIC, SQLITE_UTF8);
}

/// Binds a blob by the same rules as text.
static inline int keepsake_sqlite3_bind_blob(
    sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count, int copied) {
  return sqlite3_bind_blob64(
      statement, index, bytes ? bytes : "", bytes ? count : 0,
      copied ? SQLITE_TRANSIENT : SQLITE_STATIC);
}

/// What the index of a log ("-shm") begins with: which commit is the newest one.
typedef struct {
  unsigned long long words[6];
} keepsake_commit_mark;

/// Reads the mark at the beginning of an index, which other threads and processes may be writing.
///
/// It stands there twice. Whoever commits writes the second one, then the first one, and ends the commit after that:
/// two that differ, and one of another format than "walformat.html" tells of, give 0.
static inline int keepsake_read_commit_mark(const volatile void *index, keepsake_commit_mark *mark) {
  const volatile unsigned long long *from = (const volatile unsigned long long *)index;
  int is_whole = 1;
  for (int word = 0; word < 6; word++) {
    mark->words[word] = __atomic_load_n(from + word, __ATOMIC_ACQUIRE);
  }
  for (int word = 0; word < 6; word++) {
    is_whole &= __atomic_load_n(from + 6 + word, __ATOMIC_ACQUIRE) == mark->words[word];
  }
  const unsigned char *bytes = (const unsigned char *)mark->words;
  return is_whole && *(const unsigned int *)bytes == 3007000 && bytes[12] == 1;
}

/// The beginning of the index that a database's file has in memory; null where it has none, or a copy of its own.
static inline volatile void *keepsake_log_index(sqlite3_file *file) {
  volatile void *index = 0;
  const sqlite3_io_methods *methods = file ? file->pMethods : 0;
  if (!methods || methods->iVersion < 2 || !methods->xShmMap) return 0;
  // 32 KiB is the size of each of its parts. It is asked for as it is: not to be made, nor to be made longer.
  return methods->xShmMap(file, 0, 32768, 0, &index) == SQLITE_OK ? index : 0;
}
