import KeepsakeFiles

/// The digests of a commit's bytes, which are computed in one pass.
struct CommitSums: Sendable {
  /// The digest of all bytes of the commit. A hub keeps this digest beside the bytes.
  let all: SHA256Digest
  /// The digest of all lines but the last one. The last line of a commit states this digest.
  let lines: SHA256Digest

  init(of bytes: [UInt8]) {
    let span = bytes.span.bytes
    // The last byte ends the last line.
    let end = bytes.dropLast().lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    var sum = SHA256()
    sum.update(span.extracting(..<end))
    var rest = sum.copy()
    lines = sum.finalize()
    rest.update(span.extracting(end...))
    all = rest.finalize()
  }
}
