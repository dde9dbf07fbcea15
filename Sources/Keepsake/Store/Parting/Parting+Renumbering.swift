import KeepsakeFiles

/// The rows of a fork, which has the changes after the common past as its first ones.
extension Parting {
  /// Returns the records of a kind that a fork has of its own, with its own numbers of changes.
  func forked(_ kind: CopyRecord.Kind) throws -> [CopyRecord] {
    switch kind {
    case .session, .standing, .turn, .saved: ours[kind]
    case .entry:
      isOwnEntries(kind).map { renumbered($0, ["chain.change"]) }
    case .revision:
      isOwnEntries(kind).map { renumbered($0, ["chain.change", "until"]) }
    case .attachment: attachments()
    case .invocation: recorded(kind, ["chain.recorded", "chain.change"])
    case .source: recorded(kind, ["chain.recorded", "chain.change", "base.import"])
    case .piece, .recognition:
      ours[kind].filter { $0.int("import") ?? 0 > common }.map { renumbered($0, ["import"]) }
    case .change: changes()
    case .span: []
    }
  }

  private func isOwnEntries(_ kind: CopyRecord.Kind) -> [CopyRecord] {
    ours[kind].filter { $0.int("position") ?? 0 >= commonEntries }
  }

  /// Returns rows that were recorded after the common past. Their digests cover the change that recorded them.
  private func recorded(_ kind: CopyRecord.Kind, _ columns: [String]) -> [CopyRecord] {
    ours[kind].filter { $0.recorded > common }.map { record in
      var record = renumbered(record, columns)
      record["chain.digest"] = record.computedDigest().map { .blob($0.bytes) } ?? .null
      return record
    }
  }

  /// Returns the attachments in the order in which a store gives them: those of the fork's own entries first.
  private func attachments() -> [CopyRecord] {
    func isShared(_ record: CopyRecord) -> Bool { record.int("position") ?? -1 < commonEntries }
    let all = recorded(.attachment, ["chain.recorded", "chain.change"])
    let own =
      all.filter { !isShared($0) }
      + all.filter(isShared).sorted {
        $0.integer("recording") ?? 0 < $1.integer("recording") ?? 0
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
    ours[.change].filter { $0.int("number") ?? 0 > common }.map { record in
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
      if let number = record.integer(column) { record[column] = .integer(number - Int64(common)) }
    }
    return record
  }
}
