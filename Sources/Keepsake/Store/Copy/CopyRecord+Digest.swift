import KeepsakeFiles

extension CopyRecord {
  /// Computes the digest that the record's link covers, in the order of Documentation/Digest.md.
  ///
  /// Nil for a kind without a link of its own, and for records that alone don't determine it: a revision, and an erased entry.
  func computedDigest() -> SHA256Digest? {
    switch kind {
    case .entry:
      guard let body = bytes(at: EntryIndexes.body),
        let salt = bytes(at: EntryIndexes.salt).flatMap({ Salt($0.span.bytes) })
      else { return nil }
      return entryDigest(PreparedEntry.digest(of: body, salt: salt))
    case .attachment: return digest("keepsake.attachment.1", Self.attachmentColumns)
    case .invocation: return digest("keepsake.invocation.1", Self.invocationColumns)
    case .source: return digest("keepsake.import.1", Self.sourceColumns)
    case .session, .turn, .revision, .piece, .span, .change, .standing, .recognition, .saved:
      return nil
    }
  }

  /// Computes the digest of an entry that is erased, in which the digest that it had takes the place of its body's.
  func erasedDigest(after digest: SHA256Digest) -> SHA256Digest { entryDigest(digest) }

  private func entryDigest(_ body: SHA256Digest) -> SHA256Digest {
    var canonical = Canonical("keepsake.entry.1")
    add(Self.entryColumns, to: &canonical)
    canonical.add(body)
    add([EntryIndexes.revised], to: &canonical)
    return canonical.digest
  }

  private func digest(_ domain: StaticString, _ columns: [Int]) -> SHA256Digest {
    var canonical = Canonical(domain)
    add(columns, to: &canonical)
    return canonical.digest
  }

  private func add(_ columns: [Int], to canonical: inout Canonical) {
    for column in columns {
      switch values[column] {
      case .null: canonical.add(Int64?.none)
      case .integer(let value): canonical.add(value)
      case .text(let bytes): canonical.add(text: bytes)
      case .blob(let bytes): canonical.add(bytes: bytes)
      }
    }
  }

  /// Tells whether the record has the digest that it states; nil if the record alone does not determine it.
  private var isAsRecorded: Bool? {
    computedDigest().map { computed in
      guard let columns = kind.linkColumns, let stated = bytes(at: columns.digest) else {
        return false
      }
      return SHA256Digest(bytes: stated) == computed
    }
  }

  /// Throws if the record does not have the digest that it states.
  /// - Returns: Whether the record alone determines its digest. If it does not, the digest has to be checked otherwise.
  @discardableResult
  func requireDigest(of session: String) throws(CopyFault) -> Bool {
    guard let isAsRecorded else { return false }
    if isAsRecorded { return true }
    throw CopyFault(
      "\(name(in: session)) was altered: it does not have the digest that was recorded")
  }

  /// Checks the digest of a record from a file, in which somebody may have changed the white space around JSON.
  ///
  /// - Parameter session: The id of the session, for messages.
  /// - Returns: Whether white space had to be removed to make the digest right.
  /// - Throws: A ``CopyFault`` if the record was altered.
  mutating func settleSpelling(of session: String) throws(CopyFault) -> Bool {
    var isRespelled = false
    if isAsRecorded == false {
      let compacted = self.compacted()
      guard compacted.isAsRecorded == true else {
        throw CopyFault(
          "\(name(in: session)) was altered: it does not have the digest that was recorded")
      }
      self = compacted
      isRespelled = true
    }
    for index in children.indices {
      if try children[index].settleSpelling(of: session) { isRespelled = true }
    }
    return isRespelled
  }

  /// Returns the record with its JSON free of white space outside of strings.
  func compacted() -> CopyRecord {
    var record = self
    for (index, column) in kind.table.columns.enumerated() {
      guard case .json = column.meaning, case .text(let bytes) = values[index],
        !verbatim.contains(index)
      else { continue }
      record.values[index] = .text(Self.compact(bytes))
    }
    return record
  }

  static func compact(_ json: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(json.count)
    var isInString = false
    var isEscaped = false
    for byte in json {
      if isInString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isInString = false
        }
      } else if byte == UInt8(ascii: "\"") {
        isInString = true
      } else if [0x20, 0x0A, 0x0D, 0x09].contains(byte) {
        continue
      }
      bytes.append(byte)
    }
    return bytes
  }

  /// Returns the name of the record for people.
  func name(in session: String) -> String {
    switch kind {
    case .entry: "entry \(int("position") ?? 0) of session \(session)"
    case .revision:
      "revision \(int("number") ?? 0) of entry \(int("position") ?? 0) of session \(session)"
    case .attachment: "attachment '\(text("label") ?? "")' of session \(session)"
    case .source: "import \(int("chain.recorded") ?? 0) of session \(session)"
    default: "a record of kind '\(kind.rawValue)' of session \(session)"
    }
  }

  private static let entryColumns = CopyTable.entry.indexes(of: [
    "id", "kind", "created", "status", "visibility", "turn", "key", "lane", "author", "model",
    "call.position", "call.ordinal",
  ])
  private static let attachmentColumns = CopyTable.attachment.indexes(of: [
    "chain.recorded", "position", "segment", "pointer", "range.start", "range.end", "turn",
    "created", "artifact", "state", "direction", "maker", "basis", "invocation", "callID",
    "call.position", "call.ordinal", "tool", "label", "declaredLabel", "mediaType", "fileName",
    "captions", "reference", "inputs", "chain.salt",
  ])
  private static let invocationColumns = CopyTable.invocation.indexes(of: [
    "chain.recorded", "id", "turn", "maker", "name", "implementation", "version", "model",
    "parameters", "arguments", "started", "ended", "outcome", "detail", "output", "callID",
    "call.position", "call.ordinal", "basis", "chain.salt",
  ])
  private static let sourceColumns = CopyTable.source.indexes(of: [
    "chain.recorded", "format", "fileName", "size", "fileDigest", "created", "first", "count",
    "chain.salt",
  ])
}
