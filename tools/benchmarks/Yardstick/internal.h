#pragma once

#include <sqlite3.h>
#include <stdint.h>
#include <stdnoreturn.h>

#include "yardstick.h"

#ifdef __APPLE__
#include <CommonCrypto/CommonDigest.h>
typedef CC_SHA256_CTX hash_state;
#else
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>
typedef SHA256_CTX hash_state;
#endif

enum {
  BEGIN, COMMIT, BEGIN_READ, COMMIT_READ, VERSION, SESSION, TURN, ENTRY, QUEUE, SAVE, PREVIEW, MAKE_SESSION,
  FIND_SESSION, FIND_ARTIFACT, FIND_LABEL, ARTIFACT, BLOB, ATTACH, INDEX, RELOAD, RELOAD_SESSION, ATTACHMENTS, SCAN,
  STATEMENTS
};

struct yardstick {
  char *folder;
  sqlite3 *db, *reader;
  sqlite3_stmt *statements[STATEMENTS];
  int lock, pages, attempted;
  int64_t indexed;
};

/// What an append needs to know of its session, and gives back.
typedef struct {
  int64_t number, entries, turns, attachments, labels, bytes, changes;
  int64_t updated, stored_updated;
  uint8_t head[32];
  int has_preview;
  /// What is to become its preview; NULL where there is one.
  char *preview;
} session_row;

/// The bytes that a digest is taken of.
typedef struct {
  uint8_t bytes[1024];
  size_t count;
} canonical;

noreturn void die(const char *what, const char *why);
sqlite3_stmt *prepared(Yardstick store, int which);
void run(Yardstick store, sqlite3_stmt *statement);
void begin(Yardstick store);
void commit(Yardstick store);
void load(Yardstick store, int64_t session, session_row *row);
void save(Yardstick store, session_row *row);
void add_link(session_row *row, int operation, int64_t position, const uint8_t digest[32]);

void hash_begin(hash_state *state);
void hash_add(hash_state *state, const void *bytes, size_t size);
void hash_end(hash_state *state, uint8_t digest[32]);

void start(canonical *row, const char *domain);
void add_null(canonical *row);
void add_int(canonical *row, int64_t value);
void add_text(canonical *row, const char *text, size_t size);
void add_blob(canonical *row, const void *bytes, size_t size);
void put_int(uint8_t *to, int64_t value);
void finish(const canonical *row, uint8_t digest[32]);

int64_t now(void);
void random_bytes(void *room, size_t size);
