#pragma once

// The calls that a hub in PostgreSQL makes, in plain C on libpq, and nothing around them. Keepsake is measured against them in
// the same run. Whatever fails ends the program: a benchmark that goes on after an error measures nothing.

#include <stddef.h>
#include <stdint.h>

typedef struct hub_yardstick *HubYardstick;

/// Returns whether libpq is on this system; without libpq, `hub_yardstick_open` ends the program.
int hub_yardstick_is_here(void);

/// Connects to a server. The options are names and values that libpq knows, by turns, each ended by a 0.
HubYardstick hub_yardstick_open(const void *options, size_t size);
void hub_yardstick_close(HubYardstick yardstick);

/// Has the server plan a statement under a name.
void hub_yardstick_prepare(HubYardstick yardstick, const char *name, const char *sql);

/// Calls of one statement that was prepared, which were encoded before.
typedef struct {
  /// The number of calls, and the number of values of each call.
  int32_t calls, values;
} hub_yardstick_shape;

/// Runs calls one after the other, and looks whether a field of the first row of each answer has a value.
///
/// The values stand one after the other in PostgreSQL's binary form; each has a size, which is -1 for NULL. No call begins once
/// `most` microseconds have passed. The times get the microseconds that each call took.
/// Returns how many calls were run.
int32_t hub_yardstick_run(
    HubYardstick yardstick, const char *name, hub_yardstick_shape shape, const void *bytes, const int32_t *sizes,
    int32_t field, double most, double *times);

/// Runs a statement that was prepared, and copies each field of all rows of its answer, as a reader does who keeps them. Returns
/// how many bytes they have.
int64_t hub_yardstick_read(
    HubYardstick yardstick, const char *name, int32_t values, const void *bytes, const int32_t *sizes);

/// Runs SQL, and copies the first field of its answer as text, with a 0 at its end. The text is empty where there is no answer.
void hub_yardstick_ask(HubYardstick yardstick, const char *sql, void *text, size_t room);
