#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import KeepsakeSQLite

/// The first reading of a foreign file: it is read to its end before anything is written, and compared with what the
/// store has.
struct ImportScan {
  let source: ForeignSource
  /// What it says of its session.
  let facts: SourceFacts
  /// The session that it is to be taken into; nil to find out which one it continues.
  let destination: Session?
  let digest: SHA256Digest
  let size: Int64
  let beginnings: Beginnings
  /// Of each entry, where it may have to be aligned with what is stored.
  let items: [SaveAlignment.Item]
  /// Of each entry of ``items``, what no revision of it may change.
  let shapes: [Int]
  /// The first keys of its entries: no more than two.
  let keys: [String]
  let entries: Int
  /// The time of its first entry that has one.
  let created: Int64?
  let skipped: [ImportReport.Skipped]

  init(_ source: ForeignSource, into destination: Session? = nil) throws {
    self.source = source
    self.destination = destination
    let isAligned = destination != nil || source.namesSession
    var hash = SHA256()
    var size: Int64 = 0
    var beginnings = Beginnings(source)
    var identity = source.identity
    var items: [SaveAlignment.Item] = []
    var shapes: [Int] = []
    var keys: [String] = []
    var entries = 0
    var created: Int64?
    var skipped: [ImportReport.Skipped] = []
    var reading = try source.open()
    while let record = try reading.next() {
      try Task.checkCancellation()
      hash.update(record.bytes)
      size += Int64(record.bytes.count)
      if !record.entries.isEmpty {
        beginnings.add(
          identity.digest(ofRecordIn: record.bytes),
          hasPrompt: record.entries.contains { $0.entry.kind == .prompt })
      }
      for remark in record.remarks {
        skipped.append(
          .init(
            path: source.name, line: record.line ?? max(1, beginnings.records), reason: remark,
            isKept: true))
      }
      entries += record.entries.count
      for item in record.entries {
        created = created ?? item.entry.created?.microseconds
        if keys.count < 2, let key = item.entry.key { keys.append(key) }
        guard isAligned else { continue }
        items.append(.init(key: item.entry.key, fingerprint: item.entry.fingerprint))
        shapes.append(item.entry.shape)
      }
    }
    guard entries <= EntryID.maximumPosition, beginnings.records < PieceID.limit / 2 else {
      throw KeepsakeError(
        .tooLarge,
        "Can't import '\(source.name ?? "the file")': it has \(entries) entries, and \(EntryID.maximumPosition) is the limit.",
        object: source.name)
    }
    facts = reading.facts
    digest = hash.finalize()
    self.size = size
    self.beginnings = beginnings
    self.items = items
    self.shapes = shapes
    self.keys = keys
    self.entries = entries
    self.created = created
    self.skipped = skipped
  }
}

extension Entry {
  /// A number that entries share, in this process, whose kind and calls are the same: one may become a revision of the
  /// other.
  var shape: Int {
    var hasher = Hasher()
    hasher.combine(kind)
    hasher.combine(callID)
    for call in toolCalls {
      hasher.combine(call.id)
      hasher.combine(call.tool)
    }
    return hasher.finalize()
  }
}
