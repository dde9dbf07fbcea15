#include "faultycalls.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[PATH_MAX];
static size_t folder_length;
static _Atomic int kinds;
static _Atomic int64_t seen, first, last;
static _Atomic int error;

void faultycalls_begin(const char *path, int these, int64_t after, int64_t count, int code) {
  snprintf(folder, sizeof folder, "%s/", path);
  folder_length = strlen(folder);
  seen = 0;
  first = after;
  last = count > INT64_MAX - after ? INT64_MAX : after + count;
  error = code;
  kinds = these;
}

int64_t faultycalls_end(void) {
  kinds = 0;
  return seen;
}

static void *next(const char *name) {
  void *function = dlsym(RTLD_NEXT, name);
  if (!function) abort();
  return function;
}

static bool is_below(const char *path) { return strncmp(path, folder, folder_length) == 0; }

/// Where a descriptor leads, as far as the system can say.
static bool path_of(int file, char path[PATH_MAX]) {
  char link[40];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, PATH_MAX - 1);
  if (length < 0) return false;
  path[length] = 0;
  return true;
}

static bool is_about(int file, const char *name) {
  if (name && name[0] == '/') return is_below(name);
  char path[PATH_MAX];
  if (file == AT_FDCWD) {
    if (!getcwd(path, sizeof path)) return false;
  } else if (!path_of(file, path)) {
    return false;
  }
  if (!name) return is_below(path);
  strncat(path, "/", sizeof path - strlen(path) - 1);
  return is_below(path);
}

/// Whether this call is to fail; counts it.
static bool fails(int kind, int file, const char *name) {
  if (!(kinds & kind)) return false;
  int before = errno;
  bool is_ours = is_about(file, name);
  errno = before;
  if (!is_ours) return false;
  int64_t number = seen++;
  if (number < first || number >= last) return false;
  errno = error;
  return true;
}

// MARK: Opening

#define MODE(flags)                                            \
  mode_t mode = 0;                                             \
  if ((flags) & (O_CREAT | __O_TMPFILE)) {                     \
    va_list rest;                                              \
    va_start(rest, flags);                                     \
    mode = va_arg(rest, mode_t);                               \
    va_end(rest);                                              \
  }

#define OPEN(name)                                                          \
  int name(const char *path, int flags, ...) {                              \
    MODE(flags)                                                             \
    if (fails(FAULTYCALLS_OPEN, AT_FDCWD, path)) return -1;                 \
    return ((int (*)(const char *, int, ...))next(#name))(path, flags, mode); \
  }
#define OPENAT(name)                                                                  \
  int name(int file, const char *path, int flags, ...) {                              \
    MODE(flags)                                                                       \
    if (fails(FAULTYCALLS_OPEN, file, path)) return -1;                               \
    return ((int (*)(int, const char *, int, ...))next(#name))(file, path, flags, mode); \
  }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

// MARK: Writing

/// How many of the bytes are to be written: -1 for none, and an error.
static ssize_t room(int file, size_t size) {
  if (!fails(FAULTYCALLS_WRITE, file, NULL)) return (ssize_t)size;
  return error == FAULTYCALLS_SHORT && size > 1 ? (ssize_t)(size / 2) : -1;
}

ssize_t write(int file, const void *bytes, size_t size) {
  ssize_t count = room(file, size);
  return count < 0 ? -1 : ((ssize_t (*)(int, const void *, size_t))next("write"))(file, bytes, (size_t)count);
}

#define PWRITE(name)                                                                           \
  ssize_t name(int file, const void *bytes, size_t size, off_t offset) {                       \
    ssize_t count = room(file, size);                                                          \
    if (count < 0) return -1;                                                                  \
    return ((ssize_t (*)(int, const void *, size_t, off_t))next(#name))(file, bytes, (size_t)count, offset); \
  }
PWRITE(pwrite)
PWRITE(pwrite64)

#define TRUNCATE(name)                                        \
  int name(int file, off_t size) {                            \
    if (fails(FAULTYCALLS_WRITE, file, NULL)) return -1;      \
    return ((int (*)(int, off_t))next(#name))(file, size);    \
  }
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)

// MARK: Waiting for the disk

#define SYNC(name)                                       \
  int name(int file) {                                   \
    if (fails(FAULTYCALLS_SYNC, file, NULL)) return -1;  \
    return ((int (*)(int))next(#name))(file);            \
  }
SYNC(fsync)
SYNC(fdatasync)

// MARK: Names

int mkdirat(int file, const char *path, mode_t mode) {
  if (fails(FAULTYCALLS_NAME, file, path)) return -1;
  return ((int (*)(int, const char *, mode_t))next("mkdirat"))(file, path, mode);
}

int unlinkat(int file, const char *path, int flags) {
  if (fails(FAULTYCALLS_NAME, file, path)) return -1;
  return ((int (*)(int, const char *, int))next("unlinkat"))(file, path, flags);
}

int renameat(int from, const char *old, int to, const char *new) {
  if (fails(FAULTYCALLS_NAME, to, new)) return -1;
  return ((int (*)(int, const char *, int, const char *))next("renameat"))(from, old, to, new);
}

int linkat(int from, const char *old, int to, const char *new, int flags) {
  if (fails(FAULTYCALLS_NAME, to, new)) return -1;
  return ((int (*)(int, const char *, int, const char *, int))next("linkat"))(from, old, to, new, flags);
}
