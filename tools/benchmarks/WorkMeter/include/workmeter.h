#pragma once

// Counts what this process does: what it asks of SQLite, of the disk and of the heap. What is counted depends on the
// program and its data alone, not on how fast or how busy the machine is.
//
// The calls that are counted are defined again here, in the program itself, so that every library in it uses these.

#include <stdint.h>

typedef struct {
  /// Statements that SQLite began to run, those that its full-text index runs for itself included.
  int64_t statements;
  /// Instructions of SQLite's virtual machine.
  int64_t instructions;
  /// Rows that a statement came by because it reads a table from its beginning to its end.
  int64_t scanned_rows;
  /// Pages written to a write-ahead log.
  int64_t logged_pages;
  /// Waits for the disk.
  int64_t syncs;
  /// Calls that gave the system something to write, to any file, and how many bytes.
  int64_t writes, written_bytes;
  /// Blocks asked of the heap, and their bytes.
  int64_t allocations, allocated_bytes;
} workmeter_counts;

/// Has every SQLite connection that is opened from now on counted.
void workmeter_begin(void);
/// What was counted since the process began.
workmeter_counts workmeter_now(void);
