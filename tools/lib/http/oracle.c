// A server of libmicrohttpd, as strict as it can be, that says what it understood of a request. The tests of KeepsakeHTTP
// compare that with what our own parser understood.
//
//   cc oracle.c -lmicrohttpd -o oracle && ./oracle      prints its port, and ends with its standard input
#include <arpa/inet.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct request {
  size_t body;
  FILE *text;
  char *bytes;
  size_t count;
};

// The target is told as it came: the library would decode it before anybody sees it.
static size_t leave(void *context, struct MHD_Connection *connection, char *text) {
  (void)context, (void)connection;
  return strlen(text);
}

static enum MHD_Result tell(void *context, enum MHD_ValueKind kind, const char *name, const char *value) {
  (void)kind;
  fprintf(((struct request *)context)->text, "%s: %s\n", name, value ? value : "");
  return MHD_YES;
}

static enum MHD_Result answer(
    void *context, struct MHD_Connection *connection, const char *url, const char *method,
    const char *version, const char *upload, size_t *upload_size, void **state) {
  (void)context, (void)version, (void)upload;
  struct request *request = *state;
  if (!request) {
    *state = calloc(1, sizeof *request);
    return *state ? MHD_YES : MHD_NO;
  }
  if (*upload_size) {
    request->body += *upload_size;
    *upload_size = 0;
    return MHD_YES;
  }
  request->text = open_memstream(&request->bytes, &request->count);
  fprintf(request->text, "%s %s %zu\n", method, url, request->body);
  MHD_get_connection_values(connection, MHD_HEADER_KIND, tell, request);
  fclose(request->text);
  struct MHD_Response *response =
      MHD_create_response_from_buffer(request->count, request->bytes, MHD_RESPMEM_MUST_FREE);
  request->bytes = NULL;
  enum MHD_Result result = MHD_queue_response(connection, MHD_HTTP_OK, response);
  MHD_destroy_response(response);
  return result;
}

static void end(
    void *context, struct MHD_Connection *connection, void **state,
    enum MHD_RequestTerminationCode code) {
  (void)context, (void)connection, (void)code;
  free(*state);
  *state = NULL;
}

int main(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  struct MHD_Daemon *daemon = MHD_start_daemon(
      MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL, 0, NULL, NULL, answer, NULL,
      MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_STRICT_FOR_CLIENT, 1,
      MHD_OPTION_UNESCAPE_CALLBACK, leave, NULL, MHD_OPTION_NOTIFY_COMPLETED, end, NULL,
      MHD_OPTION_CONNECTION_TIMEOUT, 5U, MHD_OPTION_END);
  if (!daemon) return 1;
  printf("%u\n", MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
  fflush(stdout);
  while (getchar() != EOF) {}
  MHD_stop_daemon(daemon);
  return 0;
}
