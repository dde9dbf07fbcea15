#include "workmeter.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOG_HEADER = 32, FRAME_HEADER = 24, PAGE = 4096 };

static _Atomic int64_t statements, instructions, scanned_rows, logged_pages, syncs, writes, written_bytes;
static _Atomic int64_t allocations, allocated_bytes;

workmeter_counts workmeter_now(void) {
  return (workmeter_counts){
      .statements = statements, .instructions = instructions, .scanned_rows = scanned_rows,
      .logged_pages = logged_pages, .syncs = syncs, .writes = writes,
      .written_bytes = written_bytes, .allocations = allocations, .allocated_bytes = allocated_bytes};
}

// MARK: SQLite

static int note(unsigned event, void *context, void *statement, void *detail) {
  (void)context, (void)detail;
  if (event == SQLITE_TRACE_STMT) {
    statements++;
  } else {
    // Begun anew each time: a statement is used again and again.
    instructions += sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, 1);
    scanned_rows += sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_FULLSCAN_STEP, 1);
  }
  return 0;
}

static int watch(sqlite3 *db, char **message, const struct sqlite3_api_routines *routines) {
  (void)message, (void)routines;
  return sqlite3_trace_v2(db, SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE, note, NULL);
}

void workmeter_begin(void) { sqlite3_auto_extension((void (*)(void))watch); }

// MARK: The disk

static void *next(const char *name) {
  void *function = dlsym(RTLD_NEXT, name);
  if (!function) abort();
  return function;
}

int fsync(int file) {
  syncs++;
  return ((int (*)(int))next("fsync"))(file);
}

int fdatasync(int file) {
  syncs++;
  return ((int (*)(int))next("fdatasync"))(file);
}

static void note_write(size_t size) {
  writes++;
  written_bytes += (int64_t)size;
}

/// How many frames of a log, each a header and a page, end before an offset.
static int64_t frames_before(off_t offset) {
  return offset < LOG_HEADER ? 0 : (offset - LOG_HEADER) / (FRAME_HEADER + PAGE);
}

/// A page counts where its frame's end is written, whether alone or along with others.
static void note_pages(int file, size_t size, off_t offset) {
  int64_t pages = frames_before(offset + (off_t)size) - frames_before(offset);
  if (pages == 0) return;
  char link[32], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path);
  if (length >= 4 && memcmp(path + length - 4, "-wal", 4) == 0) logged_pages += pages;
}

ssize_t write(int file, const void *bytes, size_t size) {
  note_write(size);
  return ((ssize_t (*)(int, const void *, size_t))next("write"))(file, bytes, size);
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset) {
  note_write(size);
  note_pages(file, size, offset);
  return ((ssize_t (*)(int, const void *, size_t, off_t))next("pwrite"))(file, bytes, size, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off_t offset) {
  note_write(size);
  note_pages(file, size, offset);
  return ((ssize_t (*)(int, const void *, size_t, off_t))next("pwrite64"))(file, bytes, size, offset);
}

// MARK: The heap

// The C library's own names of its functions: looking them up as above would itself ask for memory.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static void note_block(size_t size) {
  allocations++;
  allocated_bytes += (int64_t)size;
}

void *malloc(size_t size) {
  note_block(size);
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  note_block(count * size);
  return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size) {
  note_block(size);
  return __libc_realloc(block, size);
}

void *memalign(size_t alignment, size_t size) {
  note_block(size);
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **block, size_t alignment, size_t size) {
  void *found = memalign(alignment, size);
  if (!found) return ENOMEM;
  *block = found;
  return 0;
}
