#if canImport(CKeepsakeCurl)
  import CKeepsakeCurl

  /// The functions of libcurl, loaded when the first hub in a bucket is opened.
  @safe
  struct CurlLibrary: @unchecked Sendable {
    // `@unchecked`: the addresses of functions do not change, and stay valid as long as the process runs.
    @safe let functions: keepsake_curl_library

    /// The loaded library; nil where this system has none.
    static let shared: CurlLibrary? = {
      var functions = keepsake_curl_library()
      guard unsafe keepsake_curl_load(&functions) != 0 else { return nil }
      return CurlLibrary(functions)
    }()

    private init(_ functions: keepsake_curl_library) { self.functions = functions }
  }
#endif
