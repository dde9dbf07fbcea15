package import KeepsakeFiles

extension Statement {
  /// Binds a digest as a blob of 32 bytes.
  package func bind(_ value: SHA256Digest, at index: Int? = nil) {
    value.withBytes { bind($0, at: index) }
  }

  /// Binds a digest as a blob of 32 bytes, or NULL.
  package func bind(_ value: SHA256Digest?, at index: Int? = nil) {
    guard let value else { return bindNull(at: index) }
    bind(value, at: index)
  }

  /// Reads a digest; nil for NULL, and for any value that is not 32 bytes long.
  package func digest(_ column: Int? = nil) -> SHA256Digest? {
    SHA256Digest(span: span(column))
  }
}
