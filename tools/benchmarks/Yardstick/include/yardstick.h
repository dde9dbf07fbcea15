#pragma once

// The store's core once more, in plain C: the same schema, the same settings, the same durable work and the same
// digests as Keepsake, with nothing above SQLite and libcrypto. Keepsake is measured against it in the same run.
// Whatever fails ends the program: a benchmark that goes on after an error measures nothing.

#include <stddef.h>
#include <stdint.h>

typedef struct yardstick *Yardstick;

/// Makes a store in an empty folder, or, with a schema of 0 bytes, opens the one that is there, also Keepsake's own.
Yardstick yardstick_open(const char *folder, const void *schema, size_t schema_size);
void yardstick_close(Yardstick store);

int64_t yardstick_make_session(Yardstick store);
/// The number of the session with an id of 16 bytes.
int64_t yardstick_find_session(Yardstick store, const void *id);

/// Appends texts that stand one after the other, by turns as prompts and responses, in one durable transaction. With
/// `encoded`, they are bodies that need no encoding.
void yardstick_append(
    Yardstick store, int64_t session, int32_t count, const void *texts, const int32_t *sizes, int encoded);
/// Puts texts into the full-text index as they are, 256 to a transaction.
void yardstick_index(Yardstick store, int32_t count, const void *texts, const int32_t *sizes);
/// Keeps an artifact as a row and attaches it.
void yardstick_put(Yardstick store, int64_t session, const void *bytes, int32_t size);
/// Keeps a file's bytes as a file and attaches them, hashing on a second thread from 4 MiB up.
void yardstick_put_file(Yardstick store, int64_t session, const char *path);

/// Reads the entries of a session from a position on, each column in place, and what is attached to them; returns
/// something that depends on every body.
int64_t yardstick_reload(Yardstick store, int64_t session, int64_t from, int64_t end);
/// Passes over all entries, looking at number and body of each in place; returns something that depends on them.
int64_t yardstick_scan(Yardstick store);
/// Begins to read a snapshot and goes on doing so.
void yardstick_pin(Yardstick store);
void yardstick_unpin(Yardstick store);

/// The version of the SQLite that both use.
const char *yardstick_sqlite_version(void);

/// Digests bytes, 32 of them come out.
void yardstick_hash(const void *bytes, size_t size, void *digest);
/// Opens a scratch file for `yardstick_overwrite`; 0 bytes are in it.
int yardstick_scratch(const char *path, int32_t size);
/// Overwrites the beginning of a scratch file and waits until that is on the disk.
void yardstick_overwrite(int file, const void *bytes, int32_t size);
void yardstick_close_scratch(int file);
/// Makes a file durably: written beside, synced, renamed, its folder synced.
void yardstick_create_file(const char *folder, const char *name, const void *bytes, size_t size);
/// Opens a file, reads it into memory of its own and closes it.
int64_t yardstick_read_file(const char *path, int64_t size);

/// Runs a program, its output going nowhere, and waits for its end; returns the microseconds that it took. The arguments
/// stand one after the other, each ended by a 0; the first is the program, found as a shell finds it.
double yardstick_run(const void *arguments, size_t size);
