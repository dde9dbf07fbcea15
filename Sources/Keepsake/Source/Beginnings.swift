import KeepsakeFiles
import KeepsakeSQLite

/// The digests of a file's beginnings: of no record, of the first one, of the first two, and so on.
///
/// Two files of a format that have one of them in common begin with the same records. Only records that say entries are
/// counted: what else stands in a file is not the conversation.
struct Beginnings: Sendable {
  private var digests: [SHA256Digest]
  /// How many records there are up to the first prompt: conversations seldom have so much in common by chance.
  private(set) var opening = 0
  private var isOpening = true

  /// Longer openings don't tell files apart any better.
  static let longestOpening = 16

  init(format: String) {
    var canonical = Canonical("keepsake.records.1")
    canonical.add(format)
    digests = [canonical.digest]
  }

  var records: Int { digests.count - 1 }

  /// Of all records.
  var all: SHA256Digest { digests[records] }

  /// Of the first records.
  subscript(records: Int) -> SHA256Digest { digests[records] }

  /// Adds the next record.
  /// - Parameters:
  ///   - digest: What is the same wherever the record is written.
  ///   - hasPrompt: Whether one of its entries is a prompt.
  mutating func add(_ digest: SHA256Digest, hasPrompt: Bool) {
    digests.append(Self.next(digest, after: all))
    guard isOpening else { return }
    opening = records
    isOpening = !hasPrompt && opening < Self.longestOpening
  }

  /// Of one record more than a beginning has.
  static func next(_ digest: SHA256Digest, after beginning: SHA256Digest) -> SHA256Digest {
    var hash = SHA256()
    beginning.withBytes { hash.update($0) }
    digest.withBytes { hash.update($0) }
    return hash.finalize()
  }
}

extension Beginnings {
  init(_ source: ForeignSource) { self.init(format: source.format) }

  /// Notes them with a stored source, for what grows out of it.
  func write(to source: Int64, in db: Connection) throws {
    let update = try db.prepare(
      "UPDATE source SET records = ?, beginning = ?, identity = ? WHERE number = ?")
    update.bind(records, at: 1)
    update.bind(self[opening], at: 2)
    update.bind(all, at: 3)
    update.bind(source, at: 4)
    try update.run()
  }
}
