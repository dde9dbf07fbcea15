#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// The records of a session that is made of another one's, while content is taken out of them.
///
/// What is taken out adds a link for each row, as ``Erasure`` does with the rows of a store. The salts that this takes follow
/// from the session and the change, so that whoever makes the session makes the same.
struct PartedRows {
  let id: UUID
  private(set) var lists: [CopyRecord.Kind: [CopyRecord]]
  /// The number of the newest change.
  private(set) var changes: Int
  /// The positions whose entries were erased, also where the session only shares them.
  private(set) var erasedPositions: Set<Int> = []
  /// The changes that recorded the attachments which were erased.
  private(set) var erasedAttachments: Set<Int> = []
  /// The same of attachments that the session only shares, by the changes of their own session.
  private(set) var erasedShared: Set<Int> = []
  private var entries: [Int: Int] = [:]
  private var recordings: [Int: (kind: CopyRecord.Kind, index: Int)] = [:]
  private var attachments: [Int: [Int]] = [:]
  private var runs: [Int: [Int]] = [:]
  private var revisions: [Int: [Int]] = [:]
  private var pieces: [Int: [Int]] = [:]

  init(_ lists: [CopyRecord.Kind: [CopyRecord]], of id: UUID, changes: Int) {
    self.lists = lists
    self.id = id
    self.changes = changes
    for (index, record) in self[.entry].enumerated() {
      entries[record.int("position") ?? 0] = index
    }
    for (index, record) in self[.attachment].enumerated() {
      recordings[record.recorded] = (.attachment, index)
      if let position = record.int("position") { attachments[position, default: []].append(index) }
    }
    for (index, record) in self[.invocation].enumerated() {
      recordings[record.recorded] = (.invocation, index)
      if let call = record.int("call.position") { runs[call, default: []].append(index) }
    }
    for (index, record) in self[.revision].enumerated() {
      revisions[record.int("position") ?? 0, default: []].append(index)
    }
    for (index, record) in self[.piece].enumerated() {
      guard let first = record.int("position"), let count = record.int("entries") else { continue }
      for position in first..<(first + count) { pieces[position, default: []].append(index) }
    }
  }

  subscript(kind: CopyRecord.Kind) -> [CopyRecord] { lists[kind] ?? [] }
}

// MARK: - Erasing

extension PartedRows {
  /// Takes out what an entry says, with its attachments, and with what runs repeat of it.
  ///
  /// - Parameters:
  ///   - entry: The record of the entry, which the session may only share.
  ///   - position: The position of the entry.
  mutating func erase(_ entry: CopyRecord, at position: Int) throws {
    erasedPositions.insert(position)
    if entry.isEntry(.toolCalls) {
      for index in runs[position] ?? [] {
        erase(ErasedElsewhere.argumentsOfRuns, ofRunAt: index)
      }
    }
    if entry.isEntry(.toolOutput), let call = entry.int("call.position") {
      for index in runs[call] ?? []
      where self[.invocation][index]["call.ordinal"] == entry["call.ordinal"] {
        erase(ErasedElsewhere.outputsOfRuns, ofRunAt: index)
      }
    }
    for index in attachments[position] ?? [] { eraseAttachment(at: index) }
    erasePieces(saying: position)
    guard let index = entries[position],
      self[.entry][index].int("chain.operation") != Chain.Operation.eraseEntry.rawValue
    else { return }
    try eraseBody(ofEntryAt: index)
  }

  private mutating func eraseBody(ofEntryAt index: Int) throws {
    var entry = self[.entry][index]
    guard let digest = entry.bytes("chain.digest").flatMap(SHA256Digest.init(bytes:)) else {
      throw CopyFault("\(entry.name(in: "\(id)")) has lost its digest")
    }
    var said = Entry(.unknown)
    if let body = entry.bytes("body") { try EntryBody.decode(body.span.bytes, into: &said) }
    if !said.toolCalls.isEmpty {
      let calls = said.toolCalls.map { call in
        JSON.object([("id", .string(call.id)), ("tool", .string(call.tool))])
      }
      entry["toolCalls"] = .text(JSON.array(calls).bytes)
    }
    entry["body"] = .null
    entry["chain.salt"] = .null
    relink(&entry, at: entry.int("position") ?? 0, as: .eraseEntry) {
      $0.erasedDigest(after: digest)
    }
    lists[.entry]?[index] = entry
    for index in revisions[entry.int("position") ?? 0] ?? [] {
      lists[.revision]?[index]["body"] = .null
      lists[.revision]?[index]["chain.salt"] = .null
    }
  }

  /// Takes out the artifact, the names and the captions of the attachment, or the columns of the run, that a change recorded.
  mutating func eraseRow(recordedBy change: Int, columns: [String]) {
    guard let (kind, index) = recordings[change] else { return }
    if kind == .invocation { return erase(columns, ofRunAt: index) }
    eraseAttachment(at: index)
    if let position = self[.attachment][index].int("position") { erasePieces(saying: position) }
  }

  /// Notes that an attachment which the session only shares was erased, and takes out what its own files say of it.
  mutating func noteErased(sharedAttachmentRecordedBy change: Int, at position: Int?) {
    erasedShared.insert(change)
    if let position { erasePieces(saying: position) }
  }

  private mutating func eraseAttachment(at index: Int) {
    var attachment = self[.attachment][index]
    if attachment.isErasedAttachment { return }
    for column in ["artifact", "fileName", "captions", "reference"] { attachment[column] = .null }
    attachment["state"] = .integer(Int64(Entry.Attachment.State.erased.code))
    renewSalt(of: &attachment)
    relink(&attachment, at: attachment.recorded, as: .erase) { $0.computedDigest() }
    lists[.attachment]?[index] = attachment
    erasedAttachments.insert(attachment.recorded)
  }

  private mutating func erase(_ columns: [String], ofRunAt index: Int) {
    var run = self[.invocation][index]
    guard columns.contains(where: { run[$0] != .null }) else { return }
    for column in columns { run[column] = .null }
    renewSalt(of: &run)
    relink(&run, at: run.recorded, as: .erase) { $0.computedDigest() }
    lists[.invocation]?[index] = run
  }

  private mutating func erasePieces(saying position: Int) {
    for index in pieces[position] ?? [] { erasePiece(at: index) }
  }

  /// Takes out the bytes of the pieces of foreign files whose imports were recorded up to a change.
  mutating func erasePieces(ofImportsUpTo change: Int) {
    for (index, piece) in self[.piece].enumerated() where piece.int("import") ?? 0 <= change {
      erasePiece(at: index)
    }
  }

  private mutating func erasePiece(at index: Int) {
    lists[.piece]?[index]["bytes"] = .null
    lists[.piece]?[index].children = []
  }
}

// MARK: - Links

extension PartedRows {
  /// Gives a record a new link, and keeps the one that it had.
  private mutating func relink(
    _ record: inout CopyRecord, at position: Int, as operation: Chain.Operation,
    _ digest: (CopyRecord) -> SHA256Digest?
  ) {
    var lost = CopyRecord(.change)
    lost["number"] = record["chain.change"]
    lost["operation"] = record["chain.operation"]
    lost["position"] = .integer(Int64(position))
    lost["digest"] = record["chain.digest"]
    lists[.change, default: []].append(lost)
    changes += 1
    record["chain.operation"] = .integer(Int64(operation.rawValue))
    record["chain.change"] = .integer(Int64(changes))
    record["chain.digest"] = digest(record).map { .blob($0.bytes) } ?? .null
  }

  private func renewSalt(of record: inout CopyRecord) {
    var canonical = Canonical("keepsake.parted.salt.1")
    canonical.add(bytes: id.bytes)
    canonical.add(changes + 1)
    record["chain.salt"] = .blob(Array(canonical.digest.bytes.prefix(Salt.size)))
  }
}
