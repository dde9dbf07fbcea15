// One durable append by a process of its own, in plain C: what `keepsake append` is measured against. Opens the store in a
// folder (one that the yardstick has made), appends a text to its first session, and ends.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "yardstick.h"

int main(int count, char **arguments) {
  if (count != 3) {
    fprintf(stderr, "usage: KeepsakeYardstickAppend FOLDER TEXT\n");
    return 64;
  }
  Yardstick store = yardstick_open(arguments[1], NULL, 0);
  int32_t size = (int32_t)strlen(arguments[2]);
  yardstick_append(store, 1, 1, arguments[2], &size, 0);
  yardstick_close(store);
  return 0;
}
