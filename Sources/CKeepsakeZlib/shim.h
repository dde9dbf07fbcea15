#pragma once

// zlib, which compresses answers.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>
#ifdef __linux__
#include <dlfcn.h>
#endif

/// What is used of zlib, of the types that its header declares.
///
/// On Linux the library is loaded when an answer is compressed, and is not linked: most runs of the command compress
/// nothing, and each would wait for one more library.
struct keepsake_zlib {
  __typeof__(deflateInit2_) *init;
  __typeof__(deflate) *step;
  __typeof__(deflateEnd) *end;
};

/// Loads the library; 0 where there is none.
static inline int keepsake_zlib_load(struct keepsake_zlib *library) {
#ifdef __linux__
  void *handle = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!handle) return 0;
  library->init = (__typeof__(deflateInit2_) *)dlsym(handle, "deflateInit2_");
  library->step = (__typeof__(deflate) *)dlsym(handle, "deflate");
  library->end = (__typeof__(deflateEnd) *)dlsym(handle, "deflateEnd");
  return library->init && library->step && library->end;
#else
  library->init = deflateInit2_;
  library->step = deflate;
  library->end = deflateEnd;
  return 1;
#endif
}

/// Begins a stream in the format of gzip; null where there is no memory. It stays at its address, which zlib requires.
static inline z_stream *keepsake_gzip_begin(const struct keepsake_zlib *library, int level) {
  z_stream *stream = (z_stream *)calloc(1, sizeof *stream);
  if (!stream) return 0;
  const int gzip = 16, window = 15, memory = 8;
  if (library->init(
          stream, level, Z_DEFLATED, window + gzip, memory, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
          (int)sizeof *stream) == Z_OK) {
    return stream;
  }
  free(stream);
  return 0;
}

/// Ends a stream, whether or not it came to its end.
static inline void keepsake_gzip_end(const struct keepsake_zlib *library, z_stream *stream) {
  library->end(stream);
  free(stream);
}
