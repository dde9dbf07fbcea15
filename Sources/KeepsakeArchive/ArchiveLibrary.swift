#if canImport(CKeepsakeArchive)
  import CKeepsakeArchive

  /// The functions of libarchive, loaded when the first archive is read.
  @safe
  struct ArchiveLibrary: @unchecked Sendable {
    // `@unchecked`: the addresses of functions and a locale do not change, and stay valid as long as the process
    // runs.
    @safe let functions: keepsake_archive_library

    /// The loaded library; nil where this system has none.
    static let shared: ArchiveLibrary? = {
      var functions = unsafe keepsake_archive_library()
      guard unsafe keepsake_archive_load(&functions) != 0 else { return nil }
      return unsafe ArchiveLibrary(functions)
    }()

    private init(_ functions: keepsake_archive_library) { unsafe self.functions = functions }
  }
#endif
