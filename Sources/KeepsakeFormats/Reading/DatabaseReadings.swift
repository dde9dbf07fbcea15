import KeepsakeFiles
import Keepsake

/// Compares the readings of a conversation: an import reads it twice, and both readings must give the same.
final class DatabaseReadings: Sendable {
  private let last = Locked<SHA256Digest?>(nil)

  /// Notes the digest of a whole reading.
  /// - Throws: ``FormatError``, where the previous reading gave another digest.
  func finish(_ digest: SHA256Digest, of file: String) throws {
    let isSame = last.withLock { last in
      defer { last = digest }
      return last == nil || last == digest
    }
    guard isSame else { throw FormatError.changed(file) }
  }
}
