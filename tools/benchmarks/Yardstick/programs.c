#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "internal.h"

extern char **environ;

double yardstick_run(const void *arguments, size_t size) {
  enum { MOST = 64 };
  char *list[MOST + 1];
  int count = 0;
  for (char *at = (char *)arguments, *end = at + size; at < end && count < MOST; at += strlen(at) + 1) list[count++] = at;
  list[count] = NULL;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  struct timespec began, ended;
  clock_gettime(CLOCK_MONOTONIC, &began);
  pid_t child;
  int status = 0, code = posix_spawnp(&child, list[0], &actions, NULL, list, environ);
  if (code != 0) die(list[0], strerror(code));
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) die(list[0], strerror(errno));
  clock_gettime(CLOCK_MONOTONIC, &ended);
  posix_spawn_file_actions_destroy(&actions);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) die(list[0], "it failed");
  return (double)(ended.tv_sec - began.tv_sec) * 1e6 + (double)(ended.tv_nsec - began.tv_nsec) / 1e3;
}
