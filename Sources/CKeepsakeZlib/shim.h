#pragma once

// zlib, which packs what is left of records that had images in them, and answers of the server.
#include <stdlib.h>
#include <zlib.h>

/// Begins a stream in the format of gzip; null where there is no memory. It stays at its address, which zlib requires.
static inline z_stream *keepsake_gzip_begin(int level) {
  z_stream *stream = (z_stream *)calloc(1, sizeof *stream);
  if (!stream) return 0;
  const int gzip = 16, window = 15, memory = 8;
  if (deflateInit2(stream, level, Z_DEFLATED, window + gzip, memory, Z_DEFAULT_STRATEGY) == Z_OK) return stream;
  free(stream);
  return 0;
}

/// Ends a stream, whether or not it came to its end.
static inline void keepsake_gzip_end(z_stream *stream) {
  deflateEnd(stream);
  free(stream);
}
