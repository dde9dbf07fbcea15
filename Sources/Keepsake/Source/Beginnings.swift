import KeepsakeFiles
import KeepsakeSQLite

/// The digests of a file's beginnings: of no record, of the first one, of the first two, and so on.
///
/// Two files of a format that have one of them in common begin with the same records. Only records that say entries are
/// counted: what else stands in a file is not the conversation.
struct Beginnings: Sendable {
  /// Of a file that grew, from what was stored of it on.
  private var digests: [SHA256Digest]
  private let stored: Int
  /// How many records there are up to the first prompt: conversations seldom have so much in common by chance.
  private(set) var opening = 0
  /// Of the records up to the first prompt.
  private(set) var atOpening: SHA256Digest
  /// Whether more records may belong to the opening.
  private(set) var isOpening = true

  /// Longer openings don't tell files apart any better.
  static let longestOpening = 16

  init(format: String) {
    var canonical = Canonical("keepsake.records.1")
    canonical.add(format)
    atOpening = canonical.digest
    digests = [atOpening]
    stored = 0
  }

  /// Those of a file that begins with a stored one.
  /// - Parameters:
  ///   - records: How many records are stored.
  ///   - atOpening: The digest of those up to the first prompt, which is among them.
  ///   - all: The digest of all of them.
  init(after records: Int, atOpening: SHA256Digest, all: SHA256Digest) {
    stored = records
    digests = [all]
    self.atOpening = atOpening
    isOpening = false
  }

  var records: Int { stored + digests.count - 1 }

  /// Of all records.
  var all: SHA256Digest { self[records] }

  /// Of the first records, no fewer than were stored of a file that grew.
  subscript(records: Int) -> SHA256Digest { digests[records - stored] }

  /// Adds the next record.
  /// - Parameters:
  ///   - digest: What is the same wherever the record is written.
  ///   - hasPrompt: Whether one of its entries is a prompt.
  mutating func add(_ digest: SHA256Digest, hasPrompt: Bool) {
    digests.append(Self.next(digest, after: all))
    guard isOpening else { return }
    opening = records
    atOpening = all
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
  func write(to source: Int64, in db: Tables) throws {
    let update = try db.prepare(
      "UPDATE source SET records = ?, beginning = ?, identity = ? WHERE number = ?")
    update.bind(records)
    update.bind(atOpening)
    update.bind(all)
    update.bind(source)
    try update.run()
  }
}
