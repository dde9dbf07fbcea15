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
