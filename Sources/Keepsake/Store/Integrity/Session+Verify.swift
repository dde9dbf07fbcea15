extension Session {
  /// Checks this session alone: its entries and attachments against their digests, and these against its chain.
  ///
  /// It writes nothing, and looks at one snapshot. What is wrong is in the report, and is no error. The cost is reading all of
  /// the session; bytes of artifacts are not read.
  /// - Returns: The findings.
  /// - Throws: A ``KeepsakeError`` with the code `notFound` if the session is gone, or a `CancellationError`.
  @concurrent
  package func verify() async throws -> VerifyReport {
    try handle.read { db in
      guard var check = try SessionCheck(number, in: db) else { throw KeepsakeError.noSession(id) }
      var report = VerifyReport()
      try check.run(kept: [], report: &report)
      return report
    }
  }
}
