#pragma once

// libcrypto, for SHA-256 and MD5 where CryptoKit is not there: its plain functions, which OpenSSL 3 would rather have nobody call.
// The others look the algorithm up among providers, for which they first read openssl.cnf: that takes a millisecond of each
// process, a fifth of what a command takes as a whole. Each digest takes half as long again, too.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/md5.h>
#include <openssl/sha.h>

// Calls of Linux that Swift's own module of the C library leaves out.
#ifdef __linux__
#include <linux/stat.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/types.h>
#include <sys/vfs.h>
#include <unistd.h>

int sync_file_range(int fd, off_t offset, off_t count, unsigned int flags);

/// Asks the kernel to begin to write a range to the disk. A hint: it makes nothing durable.
static inline void keepsake_start_write_back(int fd, long long offset, long long count) {
  (void)sync_file_range(fd, offset, count, 2 /* SYNC_FILE_RANGE_WRITE */);
}

/// Gives each of two things in a folder the other's name, both at once; 0, or -1 with errno.
static inline int keepsake_exchange(int folder, const char *first, const char *second) {
  return (int)syscall(SYS_renameat2, folder, first, folder, second, 2U /* RENAME_EXCHANGE */);
}

/// The number that names the file system of an open file; 0 if it can't be told.
static inline unsigned long keepsake_file_system(int fd) {
  struct statfs status;
  return fstatfs(fd, &status) == 0 ? (unsigned long)status.f_type & 0xffffffffUL : 0;
}

/// Which file has a name in a folder, the name itself and not what a link points at; 0, or -1 with errno.
/// The device is told as `struct stat` has it.
static inline int keepsake_file_identity(
    int folder, const char *name, uint64_t *device, uint64_t *inode) {
  struct statx status;
  const int no_follow = 0x100 /* AT_SYMLINK_NOFOLLOW */;
  if (syscall(SYS_statx, folder, name, no_follow, STATX_INO, &status) != 0) return -1;
  *device = makedev(status.stx_dev_major, status.stx_dev_minor);
  *inode = status.stx_ino;
  return 0;
}
#endif
