#pragma once

// Has calls of the system fail that this process makes about the files of one folder.
//
// The calls are defined again here, in the program itself, so that every library in it uses these. Only those of the
// thread that began count, and of the threads that do its work, so one test at a time.

#include <stdint.h>

enum {
  /// Opening a file.
  FAULTYCALLS_OPEN = 1,
  /// Writing to a file, and making it longer or shorter.
  FAULTYCALLS_WRITE = 2,
  /// Waiting for the disk.
  FAULTYCALLS_SYNC = 4,
  /// Making, renaming and removing names.
  FAULTYCALLS_NAME = 8,
};

/// Stands for no error: half of what was to be written is written, and the rest is not.
enum { FAULTYCALLS_SHORT = -1 };

/// From now on, calls of some kinds about files below a folder are counted; the one after so many fails, and so do as
/// many as `count` says in all.
///
/// The folder is the path as the system knows it, without links.
void faultycalls_begin(const char *folder, int kinds, int64_t after, int64_t count, int error);
/// Ends it; how many calls of these kinds there were.
int64_t faultycalls_end(void);
