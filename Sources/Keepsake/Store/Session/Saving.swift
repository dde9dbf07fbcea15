import KeepsakeFiles

/// A list that is encoded and hashed, so that the writer can compare and write it at once.
struct Saving: Intaking {
  let list: [Entry]
  /// The number of entries in the list that was saved last, and the digest of as many entries of this list.
  let known: (count: Int, digest: SHA256Digest)?
  /// The number of entries at the beginning that were not encoded, because they are known to be stored.
  let skipped: Int
  let digest: SHA256Digest
  /// The position of the first entry, for a list that holds one turn alone.
  let prompt: Int?
  /// The draft that ends with the save.
  let draft: Draft?
  private let salts: [Salt]
  private var texts: [Int: LargeTexts] = [:]
  /// The attachments that entries have from other sessions or from their source, by index in the list.
  private var attachments: [Int: [PreparedAttachment]] = [:]

  init(
    _ list: [SourceEntry], in session: Session, turnAt prompt: Int?,
    known saved: (count: Int, digest: SHA256Digest)?, ending draft: Draft?
  ) async throws {
    self.list = list.map(\.entry)
    self.prompt = prompt
    self.draft = draft
    salts = list.map { _ in Salt() }
    var known: (count: Int, digest: SHA256Digest)?
    var digest = SHA256.digest(of: [])
    for (index, item) in list.enumerated() {
      if index == saved?.count { known = (index, digest) }
      digest = Self.digest(of: item, after: digest)
    }
    if let saved, list.count == saved.count { known = (list.count, digest) }
    self.known = known
    self.digest = digest
    // Artifacts of what is stored need not be read again.
    skipped = known.flatMap { $0.digest == saved?.digest ? $0.count : nil } ?? 0
    for index in list.indices.dropFirst(skipped) {
      try await prepare(list[index], at: index, in: session)
    }
  }

  private mutating func prepare(
    _ item: SourceEntry, at index: Int, in session: Session
  ) async throws {
    if item.entry.hasLargeText { texts[index] = try LargeTexts(of: item.entry) }
    var all = item.attachments
    for ordinal in all.indices where all[ordinal].segment == nil {
      all[ordinal].segment = item.entry.segment(ofAttachment: ordinal)
    }
    for attachment in item.entry.attachments where attachment.session != session.id {
      if let new = try await Entry.NewAttachment(copying: attachment, to: session.handle) {
        all.append(new)
      }
    }
    for new in all {
      attachments[index, default: []].append(try PreparedAttachment(new))
    }
  }

  /// The approximate number of bytes that a save adds, if only the last entry is new.
  var bytes: Int { list.last?.text.utf8.count ?? 0 }

  mutating func forEachIntake(_ body: (inout Intake) -> Void) {
    if texts.isEmpty, attachments.isEmpty { return }
    for index in list.indices.dropFirst(skipped) {
      texts[index]?.forEachIntake(body)
      attachments[index]?.forEachIntake(body)
    }
  }

  func texts(_ index: Int) -> LargeTexts { texts[index] ?? .none }
  func attachments(_ index: Int) -> [PreparedAttachment] { attachments[index] ?? [] }
  func salt(_ index: Int) -> Salt { salts[index] }

  /// Returns the digest of the beginning of a list, from the digest of a beginning that is one entry shorter.
  private static func digest(of item: SourceEntry, after digest: SHA256Digest) -> SHA256Digest {
    let entry = item.entry
    var canonical = Canonical("keepsake.saved.1")
    canonical.add(digest)
    // A source whose ids are no UUIDs has other ones each time that it is read.
    if entry.key == nil { canonical.add(bytes: entry.id.bytes) }
    canonical.add(entry.key)
    canonical.add(entry.kind.code)
    canonical.add(entry.status.code)
    canonical.add(bytes: EntryBody.encode(entry))
    for attachment in entry.attachments { canonical.add(attachment.artifact?.id.digest) }
    for attachment in item.attachments {
      canonical.add(attachment.label)
      canonical.add(attachment.reference)
      canonical.add(attachment.source?.spellingDigest)
    }
    return canonical.digest
  }
}
