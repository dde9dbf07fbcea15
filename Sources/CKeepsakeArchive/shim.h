#pragma once

// libarchive, which reads archives and compressed files.
#include <archive.h>
#include <archive_entry.h>
#include <dlfcn.h>
#include <locale.h>

/// What is used of libarchive, of the types that its header declares.
///
/// The library is loaded when an archive is read, and is not linked: it brings fifteen other libraries, and every start of
/// the command would wait for them (2.5 ms instead of 1.0).
struct keepsake_archive_library {
  __typeof__(archive_read_new) *read_new;
  __typeof__(archive_read_free) *read_free;
  __typeof__(archive_read_support_format_zip) *read_support_format_zip;
  __typeof__(archive_read_append_filter) *read_append_filter;
  __typeof__(archive_read_set_format) *read_set_format;
  __typeof__(archive_read_open_fd) *read_open_fd;
  __typeof__(archive_read_next_header) *read_next_header;
  __typeof__(archive_read_data_block) *read_data_block;
  __typeof__(archive_filter_bytes) *filter_bytes;
  __typeof__(archive_error_string) *error_string;
  __typeof__(archive_format_name) *format_name;
  __typeof__(archive_entry_pathname) *entry_pathname;
  __typeof__(archive_entry_hardlink) *entry_hardlink;
  __typeof__(archive_entry_filetype) *entry_filetype;
  __typeof__(archive_entry_size) *entry_size;
  __typeof__(archive_entry_size_is_set) *entry_size_is_set;
  __typeof__(archive_entry_is_encrypted) *entry_is_encrypted;
  /// The library spells names in the characters of the thread's locale; in the usual one of a program all but ASCII
  /// would become question marks.
  locale_t names;
};

/// Loads the library; 0 where there is none, or one that lacks something.
static inline int keepsake_archive_load(struct keepsake_archive_library *library) {
  void *handle = dlopen("libarchive.so.13", RTLD_NOW | RTLD_LOCAL);
  if (!handle) return 0;
#define KEEPSAKE_ARCHIVE_FIND(name) \
  if (!(library->name = (__typeof__(library->name))dlsym(handle, "archive_" #name))) return 0;
  KEEPSAKE_ARCHIVE_FIND(read_new)
  KEEPSAKE_ARCHIVE_FIND(read_free)
  KEEPSAKE_ARCHIVE_FIND(read_support_format_zip)
  KEEPSAKE_ARCHIVE_FIND(read_append_filter)
  KEEPSAKE_ARCHIVE_FIND(read_set_format)
  KEEPSAKE_ARCHIVE_FIND(read_open_fd)
  KEEPSAKE_ARCHIVE_FIND(read_next_header)
  KEEPSAKE_ARCHIVE_FIND(read_data_block)
  KEEPSAKE_ARCHIVE_FIND(filter_bytes)
  KEEPSAKE_ARCHIVE_FIND(error_string)
  KEEPSAKE_ARCHIVE_FIND(format_name)
  KEEPSAKE_ARCHIVE_FIND(entry_pathname)
  KEEPSAKE_ARCHIVE_FIND(entry_hardlink)
  KEEPSAKE_ARCHIVE_FIND(entry_filetype)
  KEEPSAKE_ARCHIVE_FIND(entry_size)
  KEEPSAKE_ARCHIVE_FIND(entry_size_is_set)
  KEEPSAKE_ARCHIVE_FIND(entry_is_encrypted)
#undef KEEPSAKE_ARCHIVE_FIND
  library->names = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
  return 1;
}

/// Reads the next member's header, with names in UTF-8.
static inline int keepsake_archive_next(
    const struct keepsake_archive_library *library, struct archive *archive,
    struct archive_entry **entry) {
  locale_t before = library->names ? uselocale(library->names) : (locale_t)0;
  int result = library->read_next_header(archive, entry);
  if (library->names) uselocale(before);
  return result;
}

// Types of members, which the header gives as casts that are not imported.
static const unsigned keepsake_archive_regular = AE_IFREG;
static const unsigned keepsake_archive_folder = AE_IFDIR;
static const unsigned keepsake_archive_link = AE_IFLNK;
