/* Records what a program does to the files below one folder, for the power-cut simulation of tools/crash.

   Preloaded (LD_PRELOAD), so that it sees what SQLite and the rest of the program do alike, and neither needs a hook.
   KEEPSAKE_RECORD_ROOT is the folder, KEEPSAKE_RECORD_LOG the file to write, KEEPSAKE_RECORD_SYNC the most microseconds
   that a sync takes here (a random time up to it: what is done meanwhile is not covered by the sync).

   A log that is there is continued, by the next process on the same folder. KEEPSAKE_RECORD_DIE, such as r3, kills the
   process right after the third record of that kind: what it had not synced is then still to be lost.

   The log: records of a header { u32 op, u32 length, u64 a, u64 b, u64 c } and `length` bytes, in the order in which
   things happened. Files and folders are numbered when they are made, and `c` is their inode; the root is 1. What the simulation knows no rule
   for is recorded too, as '!', and the driver refuses such a log: nothing is passed over in silence. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

enum { CREATE = 'c', FOLDER = 'd', UNLINK = 'u', RENAME = 'r', WRITE = 'w', TRUNCATE = 't',
       SYNC_BEGINS = 's', SYNC_ENDS = 'e', ACKNOWLEDGED = 'a', UNKNOWN = '!' };

struct header { uint32_t op, length; uint64_t a, b, c; };
struct known { uint64_t inode, number; };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int log_file = -1;
static dev_t device;
static long longest_sync;
static uint64_t next_number = 1, next_sync = 1;
static int dies_after;
static long dies_when;
/* Open addressing by inode: some thousands of files at most. */
static struct known *table;
static size_t capacity, used;

static void fail(const char *what) {
  dprintf(2, "recorder: %s: %s\n", what, strerror(errno));
  syscall(SYS_exit_group, 70);
}

static struct known *slot(uint64_t inode) {
  size_t place = (inode * 0x9E3779B97F4A7C15u) & (capacity - 1);
  while (table[place].number && table[place].inode != inode) place = (place + 1) & (capacity - 1);
  return &table[place];
}

static void remember(uint64_t inode, uint64_t number) {
  if (used * 2 >= capacity) {
    struct known *old = table;
    size_t count = capacity;
    capacity = capacity ? capacity * 2 : 1024;
    table = calloc(capacity, sizeof *table);
    if (!table) fail("memory");
    for (size_t i = 0; i < count; i++) if (old[i].number) *slot(old[i].inode) = old[i];
    free(old);
  }
  struct known *place = slot(inode);
  if (!place->number) used++;
  place->inode = inode;
  place->number = number;
}

static uint64_t number_of(const struct stat *status) {
  return status->st_dev == device && capacity ? slot(status->st_ino)->number : 0;
}

static void append(const void *bytes, size_t length) {
  const char *from = bytes;
  while (length) {
    ssize_t done = syscall(SYS_write, log_file, from, length);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) fail("write to the log");
    from += done;
    length -= (size_t)done;
  }
}

static void record(int op, uint64_t a, uint64_t b, uint64_t c, const void *bytes, size_t length) {
  struct header header = { (uint32_t)op, (uint32_t)length, a, b, c };
  int error = errno;
  append(&header, sizeof header);
  append(bytes, length);
  if (op == dies_after && --dies_when == 0) syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
  errno = error;
}

static void unknown(const char *what) { record(UNKNOWN, 0, 0, 0, what, strlen(what)); }

/* Learns from the log of the process before what has which number. That one died between two records, never in one. */
static void resume(void) {
  struct header header;
  ssize_t count;
  while ((count = syscall(SYS_read, log_file, &header, sizeof header)) == (ssize_t)sizeof header) {
    if (header.op == CREATE || header.op == FOLDER) {
      remember(header.c, header.b);
      if (header.b >= next_number) next_number = header.b + 1;
    } else if (header.op == SYNC_BEGINS && header.b >= next_sync) {
      next_sync = header.b + 1;
    }
    if (syscall(SYS_lseek, log_file, header.length, SEEK_CUR) < 0) fail("seek in the log");
  }
  if (count) fail("read the log");
}

__attribute__((constructor)) static void begin(void) {
  const char *root = getenv("KEEPSAKE_RECORD_ROOT"), *path = getenv("KEEPSAKE_RECORD_LOG");
  const char *sync = getenv("KEEPSAKE_RECORD_SYNC"), *dies = getenv("KEEPSAKE_RECORD_DIE");
  if (!root || !path) return;
  longest_sync = sync ? atol(sync) : 0;
  if (dies && *dies) {
    dies_after = *dies;
    dies_when = atol(dies + 1);
  }
  struct stat status;
  if (syscall(SYS_newfstatat, AT_FDCWD, root, &status, 0)) fail(root);
  device = status.st_dev;
  remember(status.st_ino, next_number++);
  log_file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (log_file < 0) fail(path);
  resume();
}

/* The number of the folder that holds a path, and the path's last part; 0 when that is none of ours. */
static uint64_t parent_of(int at, const char *path, const char **name) {
  char folder[PATH_MAX];
  struct stat status;
  size_t length = strlen(path);
  const char *slash = strrchr(path, '/');
  if (slash && slash[1] == 0) {
    if (length >= sizeof folder) return 0;
    while (length > 1 && path[length - 1] == '/') length--;
    return 0; /* a folder by its own path: nothing that we make ends in a slash */
  }
  *name = slash ? slash + 1 : path;
  if (!slash) {
    if (at == AT_FDCWD ? syscall(SYS_newfstatat, at, ".", &status, 0) : syscall(SYS_fstat, at, &status)) return 0;
  } else {
    length = slash == path ? 1 : (size_t)(slash - path);
    if (length >= sizeof folder) return 0;
    memcpy(folder, path, length);
    folder[length] = 0;
    if (syscall(SYS_newfstatat, at, folder, &status, 0)) return 0;
  }
  return S_ISDIR(status.st_mode) ? number_of(&status) : 0;
}

#define RECORDING (log_file >= 0)
#define LOCK() pthread_mutex_lock(&mutex)
#define UNLOCK() pthread_mutex_unlock(&mutex)

/* MARK: names */

static int do_open(int at, const char *path, int flags, mode_t mode) {
  if (!RECORDING || !(flags & (O_CREAT | O_TRUNC))) return (int)syscall(SYS_openat, at, path, flags, mode);
  int error = errno;
  LOCK();
  const char *name = NULL;
  struct stat status;
  uint64_t folder = parent_of(at, path, &name);
  int was_there = folder && !syscall(SYS_newfstatat, at, path, &status, AT_SYMLINK_NOFOLLOW);
  errno = error;
  int file = (int)syscall(SYS_openat, at, path, flags, mode);
  if (file >= 0 && folder) {
    if (!was_there) {
      syscall(SYS_fstat, file, &status);
      remember(status.st_ino, next_number);
      record(CREATE, folder, next_number++, status.st_ino, name, strlen(name));
    } else if (flags & O_TRUNC) {
      record(TRUNCATE, number_of(&status), 0, 0, NULL, 0);
    }
  }
  UNLOCK();
  return file;
}

#define MODE(flags) \
  mode_t mode = 0; \
  if ((flags) & (O_CREAT | __O_TMPFILE)) { va_list more; va_start(more, flags); mode = va_arg(more, mode_t); va_end(more); }

int open(const char *path, int flags, ...) { MODE(flags) return do_open(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags) return do_open(AT_FDCWD, path, flags, mode); }
int openat(int at, const char *path, int flags, ...) { MODE(flags) return do_open(at, path, flags, mode); }
int openat64(int at, const char *path, int flags, ...) { MODE(flags) return do_open(at, path, flags, mode); }
int creat(const char *path, mode_t mode) { return do_open(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int __open_2(const char *path, int flags) { return do_open(AT_FDCWD, path, flags, 0); }
int __open64_2(const char *path, int flags) { return do_open(AT_FDCWD, path, flags, 0); }
int __openat_2(int at, const char *path, int flags) { return do_open(at, path, flags, 0); }
int __openat64_2(int at, const char *path, int flags) { return do_open(at, path, flags, 0); }

static int do_mkdir(int at, const char *path, mode_t mode) {
  if (!RECORDING) return (int)syscall(SYS_mkdirat, at, path, mode);
  LOCK();
  const char *name = NULL;
  struct stat status;
  uint64_t folder = parent_of(at, path, &name);
  int result = (int)syscall(SYS_mkdirat, at, path, mode);
  if (!result && folder && !syscall(SYS_newfstatat, at, path, &status, AT_SYMLINK_NOFOLLOW)) {
    remember(status.st_ino, next_number);
    record(FOLDER, folder, next_number++, status.st_ino, name, strlen(name));
  }
  UNLOCK();
  return result;
}

int mkdir(const char *path, mode_t mode) { return do_mkdir(AT_FDCWD, path, mode); }
int mkdirat(int at, const char *path, mode_t mode) { return do_mkdir(at, path, mode); }

static int do_unlink(int at, const char *path, int flags) {
  if (!RECORDING) return (int)syscall(SYS_unlinkat, at, path, flags);
  LOCK();
  const char *name = NULL;
  uint64_t folder = parent_of(at, path, &name);
  int result = (int)syscall(SYS_unlinkat, at, path, flags);
  if (!result && folder) record(UNLINK, folder, 0, 0, name, strlen(name));
  UNLOCK();
  return result;
}

int unlink(const char *path) { return do_unlink(AT_FDCWD, path, 0); }
int unlinkat(int at, const char *path, int flags) { return do_unlink(at, path, flags); }
int rmdir(const char *path) { return do_unlink(AT_FDCWD, path, AT_REMOVEDIR); }

static int do_rename(int at, const char *path, int to, const char *goal, unsigned flags) {
  if (!RECORDING) return (int)syscall(SYS_renameat2, at, path, to, goal, flags);
  LOCK();
  const char *name = NULL, *new_name = NULL;
  uint64_t from = parent_of(at, path, &name), into = parent_of(to, goal, &new_name);
  int result = (int)syscall(SYS_renameat2, at, path, to, goal, flags);
  if (!result && (from || into)) {
    struct stat status;
    memset(&status, 0, sizeof status);
    syscall(SYS_newfstatat, to, goal, &status, AT_SYMLINK_NOFOLLOW);
    if (!from || !into || flags || !number_of(&status)) {
      unknown("a rename across the border, or with flags");
    } else {
      char names[2 * NAME_MAX + 3];
      size_t first = strlen(name) + 1, second = strlen(new_name);
      memcpy(names, name, first);
      memcpy(names + first, new_name, second);
      record(RENAME, from, into, number_of(&status), names, first + second);
    }
  }
  UNLOCK();
  return result;
}

int rename(const char *path, const char *goal) { return do_rename(AT_FDCWD, path, AT_FDCWD, goal, 0); }
int renameat(int at, const char *path, int to, const char *goal) { return do_rename(at, path, to, goal, 0); }
int renameat2(int at, const char *path, int to, const char *goal, unsigned flags) {
  return do_rename(at, path, to, goal, flags);
}

static int do_link(int at, const char *path, int to, const char *goal, int flags) {
  int result = (int)syscall(SYS_linkat, at, path, to, goal, flags);
  if (RECORDING && !result) {
    LOCK();
    const char *name = NULL;
    if (parent_of(to, goal, &name)) unknown("a hard link");
    UNLOCK();
  }
  return result;
}

int link(const char *path, const char *goal) { return do_link(AT_FDCWD, path, AT_FDCWD, goal, 0); }
int linkat(int at, const char *path, int to, const char *goal, int flags) { return do_link(at, path, to, goal, flags); }

/* MARK: contents */

static uint64_t number_of_file(int file, struct stat *status) {
  return syscall(SYS_fstat, file, status) ? 0 : number_of(status);
}

static ssize_t do_write(int file, const void *bytes, size_t length, off_t at) {
  int is_at = at >= 0;
  if (!RECORDING || file == log_file)
    return is_at ? syscall(SYS_pwrite64, file, bytes, length, at) : syscall(SYS_write, file, bytes, length);
  LOCK();
  struct stat status;
  uint64_t number = number_of_file(file, &status);
  if (number && !is_at) {
    int flags = (int)syscall(SYS_fcntl, file, F_GETFL);
    at = flags & O_APPEND ? status.st_size : syscall(SYS_lseek, file, 0, SEEK_CUR);
  }
  ssize_t done = is_at ? syscall(SYS_pwrite64, file, bytes, length, at) : syscall(SYS_write, file, bytes, length);
  if (done > 0) {
    if (number) record(WRITE, number, (uint64_t)at, 0, bytes, (size_t)done);
    else if (file == 1) record(ACKNOWLEDGED, 0, 0, 0, bytes, (size_t)done);
  }
  UNLOCK();
  return done;
}

ssize_t write(int file, const void *bytes, size_t length) { return do_write(file, bytes, length, -1); }
ssize_t pwrite(int file, const void *bytes, size_t length, off_t at) { return do_write(file, bytes, length, at); }
ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t at) { return do_write(file, bytes, length, at); }

static void refuse(int file, const char *what) {
  struct stat status;
  if (!RECORDING) return;
  LOCK();
  if (number_of_file(file, &status)) unknown(what);
  UNLOCK();
}

ssize_t writev(int file, const struct iovec *parts, int count) {
  refuse(file, "writev");
  return syscall(SYS_writev, file, parts, count);
}

int fallocate(int file, int mode, off_t at, off_t length) {
  refuse(file, "fallocate");
  return (int)syscall(SYS_fallocate, file, mode, at, length);
}

int posix_fallocate(int file, off_t at, off_t length) {
  refuse(file, "posix_fallocate");
  return syscall(SYS_fallocate, file, 0, at, length) ? errno : 0;
}

ssize_t copy_file_range(int from, off64_t *at, int to, off64_t *into, size_t length, unsigned flags) {
  refuse(to, "copy_file_range");
  return syscall(SYS_copy_file_range, from, at, to, into, length, flags);
}

ssize_t sendfile(int to, int from, off_t *at, size_t length) {
  refuse(to, "sendfile");
  return syscall(SYS_sendfile, to, from, at, length);
}

int ftruncate(int file, off_t size) {
  if (!RECORDING) return (int)syscall(SYS_ftruncate, file, size);
  LOCK();
  struct stat status;
  uint64_t number = number_of_file(file, &status);
  int result = (int)syscall(SYS_ftruncate, file, size);
  if (!result && number) record(TRUNCATE, number, (uint64_t)size, 0, NULL, 0);
  UNLOCK();
  return result;
}

int ftruncate64(int file, off64_t size) { return ftruncate(file, size); }

int truncate(const char *path, off_t size) {
  int result = (int)syscall(SYS_truncate, path, size);
  struct stat status;
  if (RECORDING && !result) {
    LOCK();
    if (!syscall(SYS_newfstatat, AT_FDCWD, path, &status, 0) && number_of(&status)) unknown("truncate");
    UNLOCK();
  }
  return result;
}

static int do_sync(int file, long call) {
  if (!RECORDING) return (int)syscall(call, file);
  struct stat status;
  LOCK();
  uint64_t number = number_of_file(file, &status), sync = 0;
  if (number) {
    sync = next_sync++;
    record(SYNC_BEGINS, number, sync, 0, NULL, 0);
  }
  UNLOCK();
  if (number && longest_sync > 0) {
    /* Any number will do here: a log is what happened, and is replayed as it is. */
    static _Atomic uint64_t state = 88172645463325252u;
    uint64_t x = state * 6364136223846793005u + 1442695040888963407u;
    state = x;
    usleep((useconds_t)((x >> 33) % (uint64_t)longest_sync));
  }
  int result = (int)syscall(call, file);
  if (number && !result) {
    LOCK();
    record(SYNC_ENDS, number, sync, 0, NULL, 0);
    UNLOCK();
  }
  return result;
}

int fsync(int file) { return do_sync(file, SYS_fsync); }
int fdatasync(int file) { return do_sync(file, SYS_fdatasync); }

/* A hint to the system that makes nothing durable, so there is nothing to record. */
int sync_file_range(int file, off64_t at, off64_t length, unsigned flags) {
  return (int)syscall(SYS_sync_file_range, file, at, length, flags);
}
