import KeepsakeFiles

/// The digests of a file's beginnings: of no record, of the first one, of the first two, and so on.
///
/// Two files of a format that have one of these digests in common begin with the same records. Only records that say
/// entries are counted, because whatever else stands in a file is not the conversation.
struct Beginnings: Sendable {
  /// The digests, in a file that grew only those from its stored records on.
  private var digests: [SHA256Digest]
  /// The number of records that were stored of a file that grew; 0 for any other file.
  private let stored: Int
  /// The number of records up to the first prompt: conversations seldom have so much in common by chance.
  private(set) var opening = 0
  /// The digest of the records up to the first prompt.
  private(set) var atOpening: SHA256Digest
  /// Tells whether more records may belong to the opening.
  private(set) var isOpening = true

  /// The most records of an opening. Longer openings don't tell files apart any better.
  static let longestOpening = 16

  init(format: String) {
    var canonical = Canonical("keepsake.records.1")
    canonical.add(format)
    atOpening = canonical.digest
    digests = [atOpening]
    stored = 0
  }

  init(_ source: ForeignSource) { self.init(format: source.format) }

  /// Continues the beginnings of a stored file.
  ///
  /// - Parameters:
  ///   - records: The number of records that are stored.
  ///   - atOpening: The digest of the records up to the first prompt, which is among them.
  ///   - all: The digest of all of them.
  init(after records: Int, atOpening: SHA256Digest, all: SHA256Digest) {
    stored = records
    digests = [all]
    self.atOpening = atOpening
    isOpening = false
  }

  /// The number of records.
  var records: Int { stored + digests.count - 1 }

  /// The digest of all records.
  var all: SHA256Digest { self[records] }

  /// The digest of the first records, which are no fewer than were stored of a file that grew.
  subscript(records: Int) -> SHA256Digest { digests[records - stored] }

  /// Adds the next record.
  ///
  /// - Parameters:
  ///   - digest: The digest of the parts that are the same wherever the record is written.
  ///   - hasPrompt: Whether one of its entries is a prompt.
  mutating func add(_ digest: SHA256Digest, hasPrompt: Bool) {
    digests.append(Self.next(digest, after: all))
    guard isOpening else { return }
    opening = records
    atOpening = all
    isOpening = !hasPrompt && opening < Self.longestOpening
  }

  /// Returns the digest of a beginning with one more record.
  static func next(_ digest: SHA256Digest, after beginning: SHA256Digest) -> SHA256Digest {
    var hash = SHA256()
    beginning.withBytes { hash.update($0) }
    digest.withBytes { hash.update($0) }
    return hash.finalize()
  }

  /// Notes the digests with a stored source, for files that grow out of it.
  func write(to source: Int64, in db: Tables) throws {
    try db.sources.identify(source, records: records, beginning: atOpening, identity: all)
  }
}
