#pragma once

// libcurl, which speaks HTTP. Its functions are called through the table below, and none by a macro of its header.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <dlfcn.h>
#include <fcntl.h>

/// What is used of libcurl, of the types that its header declares.
///
/// The library is loaded when a hub in a bucket is opened, and is not linked: it brings thirty other libraries, which a
/// program without such a hub does not need.
struct keepsake_curl_library {
  __typeof__(curl_global_init) *global_init;
  __typeof__(curl_easy_init) *easy_init;
  __typeof__(curl_easy_cleanup) *easy_cleanup;
  __typeof__(curl_easy_reset) *easy_reset;
  __typeof__(curl_easy_perform) *easy_perform;
  __typeof__(curl_easy_setopt) *easy_setopt;
  __typeof__(curl_easy_getinfo) *easy_getinfo;
  __typeof__(curl_easy_strerror) *easy_strerror;
  __typeof__(curl_slist_append) *slist_append;
  __typeof__(curl_slist_free_all) *slist_free_all;
};

/// Loads the library; 0 where there is none, or one that lacks something.
static inline int keepsake_curl_load(struct keepsake_curl_library *library) {
  void *handle = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
  if (!handle) handle = dlopen("libcurl-gnutls.so.4", RTLD_NOW | RTLD_LOCAL);
  if (!handle) return 0;
#define KEEPSAKE_CURL_FIND(name) \
  if (!(library->name = (__typeof__(library->name))dlsym(handle, "curl_" #name))) return 0;
  KEEPSAKE_CURL_FIND(global_init)
  KEEPSAKE_CURL_FIND(easy_init)
  KEEPSAKE_CURL_FIND(easy_cleanup)
  KEEPSAKE_CURL_FIND(easy_reset)
  KEEPSAKE_CURL_FIND(easy_perform)
  KEEPSAKE_CURL_FIND(easy_setopt)
  KEEPSAKE_CURL_FIND(easy_getinfo)
  KEEPSAKE_CURL_FIND(easy_strerror)
  KEEPSAKE_CURL_FIND(slist_append)
  KEEPSAKE_CURL_FIND(slist_free_all)
#undef KEEPSAKE_CURL_FIND
  return library->global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
}

/// Sets an option that is a number.
static inline CURLcode keepsake_curl_set_number(
    const struct keepsake_curl_library *library, CURL *handle, CURLoption option, long value) {
  return library->easy_setopt(handle, option, value);
}

/// Marks a connection as one that no program gets which this one starts.
static inline int keepsake_curl_mark(void *context, curl_socket_t connection, curlsocktype purpose) {
  return fcntl(connection, F_SETFD, FD_CLOEXEC) ? CURL_SOCKOPT_ERROR : CURL_SOCKOPT_OK;
}

/// Has the connections of a handle marked as they are made.
static inline CURLcode keepsake_curl_keep_to_itself(const struct keepsake_curl_library *library, CURL *handle) {
  return library->easy_setopt(handle, CURLOPT_SOCKOPTFUNCTION, keepsake_curl_mark);
}

/// Sets an option that is a number of bytes.
static inline CURLcode keepsake_curl_set_size(
    const struct keepsake_curl_library *library, CURL *handle, CURLoption option, int64_t value) {
  return library->easy_setopt(handle, option, (curl_off_t)value);
}

/// Sets an option that is a text, which is copied.
static inline CURLcode keepsake_curl_set_text(
    const struct keepsake_curl_library *library, CURL *handle, CURLoption option, const char *value) {
  return library->easy_setopt(handle, option, value);
}

/// Sets an option that is an address, which has to stay valid until the transfer is over.
static inline CURLcode keepsake_curl_set_address(
    const struct keepsake_curl_library *library, CURL *handle, CURLoption option, const void *value) {
  return library->easy_setopt(handle, option, value);
}

/// What libcurl calls with bytes that came; it returns how many of them it took.
typedef size_t (*keepsake_curl_taking)(char *bytes, size_t size, size_t count, void *taker);

/// Sets the functions that take the lines of the answer's head, and its body, for one taker.
static inline CURLcode keepsake_curl_set_takers(
    const struct keepsake_curl_library *library, CURL *handle, keepsake_curl_taking head,
    keepsake_curl_taking body, void *taker) {
  CURLcode code = library->easy_setopt(handle, CURLOPT_HEADERFUNCTION, head);
  if (code == CURLE_OK) code = library->easy_setopt(handle, CURLOPT_HEADERDATA, taker);
  if (code == CURLE_OK) code = library->easy_setopt(handle, CURLOPT_WRITEFUNCTION, body);
  if (code == CURLE_OK) code = library->easy_setopt(handle, CURLOPT_WRITEDATA, taker);
  return code;
}

/// The status of the answer; 0 where there was none.
static inline long keepsake_curl_status(const struct keepsake_curl_library *library, CURL *handle) {
  long status = 0;
  library->easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

// Options whose values the header gives as macros that are not imported.
static const long keepsake_curl_http_1_1 = CURL_HTTP_VERSION_1_1;
static const long keepsake_curl_protocols = CURLPROTO_HTTP | CURLPROTO_HTTPS;
static const size_t keepsake_curl_error_size = CURL_ERROR_SIZE;
