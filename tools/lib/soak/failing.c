// Lets one opening below a folder fail, once: the KEEPSAKE_FAIL_OPEN-th of this process, with KEEPSAKE_FAIL_ERROR.
// Its path is written to the file KEEPSAKE_FAIL_MARK, so that whoever started the process knows that it came to it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_int count;

static int must_fail(int folder, const char *path) {
  const char *below = getenv("KEEPSAKE_FAIL_BELOW"), *number = getenv("KEEPSAKE_FAIL_OPEN");
  const char *mark = getenv("KEEPSAKE_FAIL_MARK"), *error = getenv("KEEPSAKE_FAIL_ERROR");
  if (!below || !number || !mark || !error) return 0;
  // Names below an open folder are the store's own; other paths only where they are inside of it.
  if (folder == AT_FDCWD && strncmp(path, below, strlen(below)) != 0) return 0;
  if (atomic_fetch_add(&count, 1) + 1 != atoi(number)) return 0;
  int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, "open");
  int file = real(mark, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (file >= 0) {
    if (write(file, path, strlen(path)) < 0) abort();
    close(file);
  }
  errno = strcmp(error, "EIO") == 0 ? EIO : EMFILE;
  return 1;
}

#define OPEN(name)                                       \
  int name(const char *path, int flags, ...) {           \
    va_list rest;                                        \
    va_start(rest, flags);                               \
    int mode = va_arg(rest, int);                        \
    va_end(rest);                                        \
    if (must_fail(AT_FDCWD, path)) return -1;            \
    int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, #name); \
    return real(path, flags, mode);                      \
  }

#define OPENAT(name)                                     \
  int name(int folder, const char *path, int flags, ...) { \
    va_list rest;                                        \
    va_start(rest, flags);                               \
    int mode = va_arg(rest, int);                        \
    va_end(rest);                                        \
    if (must_fail(folder, path)) return -1;              \
    int (*real)(int, const char *, int, ...) = dlsym(RTLD_NEXT, #name); \
    return real(folder, path, flags, mode);              \
  }

OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
