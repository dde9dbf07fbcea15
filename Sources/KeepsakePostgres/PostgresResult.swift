import KeepsakeFiles

#if canImport(CKeepsakePostgres)
  import CKeepsakePostgres

  /// The rows of an answer, in the memory of libpq. The memory is given back when nobody has a row any more.
  @safe
  final class PostgresResult: @unchecked Sendable {
    // `@unchecked`: nothing changes a result, and libpq lets several threads read one.
    private let library: keepsake_postgres_library
    @safe private let result: OpaquePointer

    /// Takes over a result from libpq.
    @unsafe
    init(_ result: OpaquePointer, _ library: keepsake_postgres_library) {
      self.library = library
      unsafe self.result = result
    }

    deinit { unsafe library.clear(result) }

    var rows: [PostgresRow] {
      let count = unsafe library.ntuples(result)
      return (0..<count).map { PostgresRow(result: self, place: $0) }
    }

    func isNull(_ field: Int, row: Int32) -> Bool {
      unsafe library.getisnull(result, row, Int32(field)) != 0
    }

    /// Passes the value of a field in PostgreSQL's binary form to a closure; nil for `NULL`.
    func withField<Value>(_ field: Int, row: Int32, _ body: (RawSpan) -> Value) -> Value? {
      guard !isNull(field, row: row),
        let start = unsafe library.getvalue(result, row, Int32(field))
      else { return nil }
      let count = Int(unsafe library.getlength(result, row, Int32(field)))
      return unsafe body(UnsafeRawBufferPointer(start: start, count: count).bytes)
    }
  }
#else
  /// Replaces the rows of an answer on systems without libpq, where no server answers.
  final class PostgresResult: Sendable {
    func isNull(_ field: Int, row: Int32) -> Bool { true }

    func withField<Value>(_ field: Int, row: Int32, _ body: (RawSpan) -> Value) -> Value? { nil }
  }
#endif
