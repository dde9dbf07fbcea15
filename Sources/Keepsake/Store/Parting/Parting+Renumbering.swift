import KeepsakeFiles

/// The rows of a session in which changes have other numbers than in ours.
///
/// A fork has the changes after the common past as its first ones. A full copy that has rows of its own for what the original
/// shared has the changes of these rows first.
extension Parting {
  /// The number that has to be added to a change's.
  var shift: Int { isFork ? -common : isFlat ? ours.start : 0 }

  /// Returns the number that one of our changes has in the session that is made of ours.
  func number(of change: Int) -> Int { change + shift }

  /// Tells which of our changes the session has. A full copy has all.
  private func isOwn(_ change: Int) -> Bool { !isFork || change > common }

  /// Returns the records of a kind that the session has of its own, with its own numbers of changes.
  func renumbered(_ kind: CopyRecord.Kind) -> [CopyRecord] {
    switch kind {
    case .session, .standing, .turn, .saved: ours[kind]
    case .entry: ofOwnEntries(kind).map { renumbered($0, ["chain.change"]) }
    case .revision: ofOwnEntries(kind).map { renumbered($0, ["chain.change", "until"]) }
    case .attachment: attachments()
    case .invocation: recorded(kind, ["chain.recorded", "chain.change"])
    case .source: recorded(kind, ["chain.recorded", "chain.change", "base.import"])
    case .piece, .recognition:
      ours[kind].filter { isOwn($0.int("import") ?? 0) }.map { renumbered($0, ["import"]) }
    case .change: changes()
    case .span: []
    }
  }

  private func ofOwnEntries(_ kind: CopyRecord.Kind) -> [CopyRecord] {
    ours[kind].filter { !isFork || $0.int("position") ?? 0 >= commonEntries }
  }

  /// Returns rows with the change that recorded them, which their digests cover.
  private func recorded(_ kind: CopyRecord.Kind, _ columns: [String]) -> [CopyRecord] {
    ours[kind].filter { isOwn($0.recorded) }.map { record in
      var record = renumbered(record, columns)
      record["chain.digest"] = record.computedDigest().map { .blob($0.bytes) } ?? .null
      return record
    }
  }

  /// Returns the attachments in the order in which a store gives them: those of own entries first.
  private func attachments() -> [CopyRecord] {
    let start = isFork ? commonEntries : 0
    func place(_ record: CopyRecord) -> (Int, Int64) {
      let position = record.int("position") ?? -1
      return (position < start ? .max : position, record.integer("recording") ?? 0)
    }
    let own = recorded(.attachment, ["chain.recorded", "chain.change"]).sorted {
      place($0) < place($1)
    }
    let places = own.map { $0.integer("recording") ?? 0 }.sorted()
    var numbers: [Int64: Int64] = [:]
    for (index, place) in places.enumerated() { numbers[place] = Int64(index + 1) }
    return own.map { attachment in
      var attachment = attachment
      attachment["recording"] =
        numbers[attachment.integer("recording") ?? 0].map { .integer($0) } ?? .null
      return attachment
    }
  }

  /// Returns the links that no row has any more. They keep the digests of contents that nobody has any more either.
  private func changes() -> [CopyRecord] {
    ours[.change].filter { isOwn($0.int("number") ?? 0) }.map { record in
      let isOfEntry =
        ChainLink(
          operation: record.int("operation") ?? 0, position: 0, digest: SHA256.digest(of: [])
        ).isOfEntry
      return renumbered(record, isOfEntry ? ["number"] : ["number", "position"])
    }
  }

  private func renumbered(_ record: CopyRecord, _ columns: [String]) -> CopyRecord {
    var record = record
    for column in columns {
      if let number = record.integer(column) { record[column] = .integer(number + Int64(shift)) }
    }
    return record
  }

  /// Returns the entries that our session shares, as the first ones of its own. They still say what they said.
  func placeholders() throws -> [CopyRecord] {
    try (0..<ours.start).map { position in
      guard var entry = ours.entries[position] else {
        throw CopyFault("entry \(position), which session \(original) shares, is not there")
      }
      // The revisions stay behind.
      entry["revised"] = .null
      entry["chain.operation"] = .integer(Int64(Chain.Operation.append.rawValue))
      entry["chain.change"] = .integer(Int64(position + 1))
      if let digest = entry.computedDigest() { entry["chain.digest"] = .blob(digest.bytes) }
      return entry
    }
  }
}
