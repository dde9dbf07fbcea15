#if canImport(CKeepsakePostgres)
  import CKeepsakePostgres

  /// The functions of libpq, loaded when the first hub in PostgreSQL is opened.
  @safe
  struct PostgresLibrary: @unchecked Sendable {
    // `@unchecked`: the addresses of functions do not change, and stay valid as long as the process runs.
    @safe let functions: keepsake_postgres_library

    /// The loaded library; nil where this system has none.
    static let shared: PostgresLibrary? = {
      var functions = keepsake_postgres_library()
      guard unsafe keepsake_postgres_load(&functions) != 0 else { return nil }
      return PostgresLibrary(functions)
    }()

    private init(_ functions: keepsake_postgres_library) { self.functions = functions }
  }
#endif
