// Makes every wait for the disk a little longer, as on a slower disk: loaded before the C library.
// SLOWSYNC_MICROSECONDS says by how much.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

static int slowly(const char *name, int file) {
  int (*sync)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  const char *text = getenv("SLOWSYNC_MICROSECONDS");
  long pause = text ? atol(text) : 0;
  struct timespec time = {pause / 1000000, pause % 1000000 * 1000};
  int result = sync(file);
  nanosleep(&time, NULL);
  return result;
}

int fsync(int file) { return slowly("fsync", file); }
int fdatasync(int file) { return slowly("fdatasync", file); }
