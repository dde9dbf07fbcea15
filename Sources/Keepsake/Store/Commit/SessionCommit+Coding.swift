#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// A commit as bytes, for the way from one store to another.
///
/// The bytes are lines of JSON: a header, each record as a copy has it, the names of rows that are gone, and a SHA-256 of all
/// these lines.
extension SessionCommit {
  /// The newest version of the format. The header says the oldest one that has what the commit needs.
  static let format: Int64 = 3
  /// The first version of the format that has remainders. An older reader would take one for a deletion.
  private static let formatOfRemainders: Int64 = 2
  /// The first version of the format in which the session's counters say when the session was updated, and the session's own record is there
  /// only if it changed.
  private static let formatOfUpdates: Int64 = 3

  /// The oldest version of the format that has what the commit needs.
  private var neededFormat: Int64 {
    if isRemainder { return Self.formatOfRemainders }
    return records.contains { $0.kind == .standing && $0["updated"] != .null }
      ? Self.formatOfUpdates : 1
  }

  package func encoded() throws -> [UInt8] { try encoded(at: nil) }

  /// Returns the bytes of the commit, for a place among the versions of its session.
  func encoded(at place: CommitPlace?) throws -> [UInt8] {
    var writer = JSONWriter(reserving: 4096)
    func add(_ write: (inout JSONWriter) throws -> Void) rethrows {
      writer.beginObject()
      try write(&writer)
      writer.endObject()
      writer.endLine()
    }
    add { writeHeader(at: place, to: &$0) }
    for record in records {
      try add { writer in
        writer.key(escaping: record.kind.rawValue)
        try record.write(to: &writer)
      }
    }
    for row in gone {
      add { writer in
        writer.key("gone")
        writer.string(row.kind.rawValue)
        writer.key("first")
        writer.int(row.first)
        writer.key("second")
        writer.int(row.second)
      }
    }
    let sum = SHA256.digest(of: writer.bytes)
    add { writer in
      writer.key("sha256")
      writer.string(sum.hex)
    }
    return writer.bytes
  }

  private func writeHeader(at place: CommitPlace?, to writer: inout JSONWriter) {
    writer.key("commit")
    writer.int(neededFormat)
    writer.key("session")
    writer.plainString { session.append(to: &$0) }
    if let place { Self.write(place, to: &writer) }
    if let base { Self.write(base, as: "base", to: &writer) }
    if let end { Self.write(end, as: "end", to: &writer) }
    if let links {
      writer.key("links")
      writer.beginArray()
      for link in links {
        writer.beginArray()
        writer.int(Int64(link.operation))
        writer.int(Int64(link.position))
        writer.string(link.digest.hex)
        writer.endArray()
      }
      writer.endArray()
    }
    if !erased.isEmpty {
      writer.key("erased")
      writer.beginArray()
      for artifact in erased { writer.string(artifact.description) }
      writer.endArray()
    }
  }

  /// Reads what ``encoded()`` gives. Whatever was altered, left out or put in is a fault.
  package init(decoding bytes: [UInt8]) throws {
    try self.init(decoding: bytes, CommitSums(of: bytes))
  }

  /// Reads what ``encoded()`` gives, for a caller that has computed the digests of the bytes already.
  init(decoding bytes: [UInt8], _ sums: CommitSums) throws {
    let lines = Self.lines(of: bytes)
    // The last line ends like all others.
    guard lines.count > 1, let summed = lines.last, summed.upperBound == bytes.count - 1 else {
      throw CopyFault("a commit is cut off")
    }
    let span = bytes.span.bytes
    guard Self.sum(in: span.extracting(summed)) == sums.lines else {
      throw CopyFault("a commit was altered or cut off: it does not have the digest that it says")
    }
    let header = try CommitHeader(reading: span.extracting(lines[0]))
    session = header.session
    (place, links, base, end) = (header.place, header.links, header.base, header.end)
    erased = header.erased
    var records: [CopyRecord] = []
    var gone: [Gone] = []
    for line in lines[1..<(lines.count - 1)] {
      guard bytes[line].starts(with: Self.gone) else {
        records.append(try CopyRecord(readingTagged: span.extracting(line)))
        continue
      }
      let row = try Self.object(bytes[line])
      guard let kind = row["gone"]?.stringValue.flatMap(CopyRecord.Kind.init(rawValue:)),
        let first = row["first"]?.intValue, let second = row["second"]?.intValue
      else { throw CopyFault("a commit says of no row that it is gone") }
      gone.append(Gone(kind: kind, first: first, second: second))
    }
    guard links == nil || records.isEmpty && gone.isEmpty else {
      throw CopyFault("a commit of which only links are left says more")
    }
    self.records = records
    self.gone = gone
  }

  /// Returns the digest in the last line, which is that of all lines before it; nil for a line that is spelled in another way.
  private static func sum(in line: RawSpan) -> SHA256Digest? {
    let start = beginningOfSum.utf8CodeUnitCount
    guard line.byteCount == start + 64 + endOfSum.utf8CodeUnitCount,
      line.spells(beginningOfSum, from: 0, to: start),
      line.spells(endOfSum, from: start + 64, to: line.byteCount)
    else { return nil }
    return SHA256Digest(hex: line.extracting(start..<start + 64), takesCapitals: false)
  }

  private static let beginningOfSum: StaticString = #"{"sha256":""#
  private static let endOfSum: StaticString = #""}"#

  /// Finds the lines of a commit that end with a line break.
  private static func lines(of bytes: [UInt8]) -> [Range<Int>] {
    var lines: [Range<Int>] = []
    var start = 0
    let span = bytes.span.bytes
    while let end = span.firstOffset(of: UInt8(ascii: "\n"), from: start) {
      lines.append(start..<end)
      start = end + 1
    }
    return lines
  }

  /// The beginning of a line that names a row which is gone.
  private static let gone = Array(#"{"gone":"#.utf8)

  private static func write(_ place: CommitPlace, to writer: inout JSONWriter) {
    writer.key("stamp")
    writer.plainString { place.stamp.append(to: &$0) }
    guard let base = place.base else { return }
    writer.key("after")
    writer.plainString { base.append(to: &$0) }
  }

  private static func write(_ chain: Chain, as name: StaticString, to writer: inout JSONWriter) {
    writer.key(name)
    writer.beginObject()
    writer.key("changes")
    writer.int(Int64(chain.count))
    writer.key("head")
    writer.string(chain.head.hex)
    writer.endObject()
  }

  private static func object(_ line: ArraySlice<UInt8>) throws(CopyFault) -> JSON {
    do { return try JSON(validating: String(decoding: line, as: UTF8.self)) } catch {
      throw CopyFault("a commit can't be read: \(error.message.clause)")
    }
  }
}
