#include "hubyardstick.h"

#include <stdio.h>
#include <stdlib.h>
#include <stdnoreturn.h>
#include <string.h>
#include <time.h>

static noreturn void die(const char *what, const char *why) {
  fprintf(stderr, "hub yardstick: %s: %s\n", what, why);
  exit(70);
}

#if defined(__linux__)

// Keepsake's own loader of libpq, so that Keepsake and the yardstick use one library.
#include "../../../Sources/CKeepsakePostgres/shim.h"

enum { MOST_OPTIONS = 64, MOST_VALUES = 32 };

struct hub_yardstick {
  struct keepsake_postgres_library library;
  PGconn *connection;
};

int hub_yardstick_is_here(void) {
  struct keepsake_postgres_library library;
  return keepsake_postgres_load(&library);
}

HubYardstick hub_yardstick_open(const void *options, size_t size) {
  HubYardstick yardstick = calloc(1, sizeof *yardstick);
  if (!yardstick) die("opening", "there is no memory left");
  if (!keepsake_postgres_load(&yardstick->library)) die("opening", "libpq is not installed");
  const char *names[MOST_OPTIONS + 1], *values[MOST_OPTIONS + 1];
  int count = 0;
  for (const char *at = options, *end = at + size; at < end; count++) {
    if (count == MOST_OPTIONS) die("opening", "there are too many options");
    names[count] = at;
    at += strlen(at) + 1;
    values[count] = at;
    at += strlen(at) + 1;
  }
  names[count] = values[count] = NULL;
  yardstick->connection = yardstick->library.connectdbParams(names, values, 0);
  if (!yardstick->connection || yardstick->library.status(yardstick->connection) != CONNECTION_OK)
    die("connecting", yardstick->library.errorMessage(yardstick->connection));
  return yardstick;
}

void hub_yardstick_close(HubYardstick yardstick) {
  yardstick->library.finish(yardstick->connection);
  free(yardstick);
}

/// Waits for the answer to what was sent.
static PGresult *answer(HubYardstick yardstick, int is_sent, const char *what) {
  struct keepsake_postgres_library *library = &yardstick->library;
  if (!is_sent) die(what, library->errorMessage(yardstick->connection));
  PGresult *first = library->getResult(yardstick->connection), *next;
  ExecStatusType status = library->resultStatus(first);
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) die(what, library->errorMessage(yardstick->connection));
  while ((next = library->getResult(yardstick->connection))) library->clear(next);
  return first;
}

void hub_yardstick_prepare(HubYardstick yardstick, const char *name, const char *sql) {
  int is_sent = yardstick->library.sendPrepare(yardstick->connection, name, sql, 0, NULL);
  yardstick->library.clear(answer(yardstick, is_sent, "preparing"));
}

/// Runs a statement with the values at a place, which is moved behind them.
static PGresult *execute(
    HubYardstick yardstick, const char *name, int32_t values, const char **bytes, const int32_t **sizes, const char *what) {
  const char *pointers[MOST_VALUES];
  int lengths[MOST_VALUES], formats[MOST_VALUES];
  if (values > MOST_VALUES) die(what, "there are too many values");
  for (int32_t index = 0; index < values; index++) {
    int32_t size = *(*sizes)++;
    pointers[index] = size < 0 ? NULL : *bytes;
    lengths[index] = size < 0 ? 0 : size;
    formats[index] = 1;
    if (size > 0) *bytes += size;
  }
  int is_sent = yardstick->library.sendQueryPrepared(
      yardstick->connection, name, values, pointers, lengths, formats, 1);
  return answer(yardstick, is_sent, what);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

int32_t hub_yardstick_run(
    HubYardstick yardstick, const char *name, hub_yardstick_shape shape, const void *bytes, const int32_t *sizes,
    int32_t field, double most, double *times) {
  struct keepsake_postgres_library *library = &yardstick->library;
  const char *at = bytes;
  double start = now();
  for (int32_t call = 0; call < shape.calls; call++) {
    double began = now();
    if (began - start >= most) return call;
    PGresult *result = execute(yardstick, name, shape.values, &at, &sizes, "committing");
    if (library->ntuples(result) < 1 || library->getisnull(result, 0, field)) die("committing", "a call was refused");
    library->clear(result);
    times[call] = now() - began;
  }
  return shape.calls;
}

int64_t hub_yardstick_read(
    HubYardstick yardstick, const char *name, int32_t values, const void *bytes, const int32_t *sizes) {
  struct keepsake_postgres_library *library = &yardstick->library;
  const char *at = bytes;
  PGresult *result = execute(yardstick, name, values, &at, &sizes, "reading");
  int rows = library->ntuples(result), fields = library->nfields(result);
  char *room = NULL;
  size_t has = 0, used = 0;
  for (int row = 0; row < rows; row++)
    for (int field = 0; field < fields; field++) {
      size_t size = (size_t)library->getlength(result, row, field);
      if (used + size > has) {
        has = 2 * (used + size);
        room = realloc(room, has);
        if (!room) die("reading", "there is no memory left");
      }
      if (size > 0) memcpy(room + used, library->getvalue(result, row, field), size);
      used += size;
    }
  library->clear(result);
  free(room);
  return (int64_t)used;
}

void hub_yardstick_ask(HubYardstick yardstick, const char *sql, void *text, size_t room) {
  struct keepsake_postgres_library *library = &yardstick->library;
  PGresult *result = answer(yardstick, library->sendQuery(yardstick->connection, sql), "asking");
  snprintf(text, room, "%s", library->ntuples(result) > 0 ? library->getvalue(result, 0, 0) : "");
  library->clear(result);
}

#else

int hub_yardstick_is_here(void) { return 0; }

static noreturn void refuse(void) { die("opening", "libpq is not used on this system"); }

HubYardstick hub_yardstick_open(const void *options, size_t size) { refuse(); }
void hub_yardstick_close(HubYardstick yardstick) { refuse(); }
void hub_yardstick_prepare(HubYardstick yardstick, const char *name, const char *sql) { refuse(); }

int32_t hub_yardstick_run(
    HubYardstick yardstick, const char *name, hub_yardstick_shape shape, const void *bytes, const int32_t *sizes,
    int32_t field, double most, double *times) {
  refuse();
}

int64_t hub_yardstick_read(
    HubYardstick yardstick, const char *name, int32_t values, const void *bytes, const int32_t *sizes) {
  refuse();
}

void hub_yardstick_ask(HubYardstick yardstick, const char *sql, void *text, size_t room) { refuse(); }

#endif
