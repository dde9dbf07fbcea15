import KeepsakeFiles

/// A file that was opened and checked before its bytes are read.
final class OpenedFile: Sendable {
  private let file: FileDescriptor
  /// The most bytes that are read from the file, even if it grows; nil without a limit.
  let limit: Int64?

  init(_ file: consuming FileDescriptor, limit: Int64? = nil) {
    self.file = file
    self.limit = limit
  }

  func use<Result>(_ body: (borrowing FileDescriptor) throws -> Result) rethrows -> Result {
    try body(file)
  }
}
