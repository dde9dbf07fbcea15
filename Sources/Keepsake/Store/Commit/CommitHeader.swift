#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// The first line of a commit's bytes: all that the commit says beside its records.
struct CommitHeader {
  let session: UUID
  private(set) var place: CommitPlace?
  private(set) var base: Chain?
  private(set) var end: Chain?
  private(set) var links: [ChainLink]?
  private(set) var erased: [Artifact.ID] = []

  /// Reads a line of JSON. Members with unknown names are passed over.
  init(reading line: RawSpan) throws(CopyFault) {
    do {
      var (format, session): (Int64?, UUID?)
      var (stamp, after): (UUID?, UUID?)
      var reader = JSONReader(line)
      try reader.beginObject()
      while try reader.nextKey() {
        if reader.key(is: "commit") {
          format = try reader.int()
        } else if reader.key(is: "session") {
          session = try reader.withString { UUID(text: $0) }
        } else if reader.key(is: "stamp") {
          stamp = try Self.stamp(from: &reader)
        } else if reader.key(is: "after") {
          after = try Self.stamp(from: &reader)
        } else if reader.key(is: "base") {
          base = try Self.chain(from: &reader)
        } else if reader.key(is: "end") {
          end = try Self.chain(from: &reader)
        } else if reader.key(is: "links") {
          links = try Self.links(from: &reader)
        } else if reader.key(is: "erased") {
          erased = try Self.artifacts(from: &reader)
        } else {
          try reader.skipValue()
        }
      }
      try reader.end()
      guard let format else { throw CopyFault("a commit has no header") }
      guard (1...SessionCommit.format).contains(format) else {
        throw CopyFault("a commit has the format \(format), which a newer Keepsake may know")
      }
      guard let session else { throw CopyFault("a commit is of no session") }
      self.session = session
      place = stamp.map { CommitPlace(stamp: $0, base: after) }
    } catch let error as JSONError {
      throw CopyFault("a commit can't be read: \(error.message.clause)")
    } catch let fault as CopyFault {
      throw fault
    } catch { throw CopyFault("a commit can't be read: \(error)") }
  }

  private static func stamp(from reader: inout JSONReader) throws -> UUID {
    guard let stamp = try reader.withString({ UUID(text: $0) }) else {
      throw CopyFault("a commit does not say where it belongs")
    }
    return stamp
  }

  private static func chain(from reader: inout JSONReader) throws -> Chain {
    var (changes, head): (Int64?, SHA256Digest?)
    try reader.beginObject()
    while try reader.nextKey() {
      if reader.key(is: "changes") {
        changes = try reader.int()
      } else if reader.key(is: "head") {
        head = try reader.withString { SHA256Digest(hex: $0) }
      } else {
        try reader.skipValue()
      }
    }
    guard let changes, ClosedRange<Int64>.count.contains(changes), let head else {
      throw CopyFault("a commit does not say to which change it belongs")
    }
    return Chain(head: head, count: Int(changes))
  }

  /// Reads links, each of which is an array of its operation, its position and its digest.
  private static func links(from reader: inout JSONReader) throws -> [ChainLink] {
    var links: [ChainLink] = []
    try reader.beginArray()
    while try reader.nextElement() {
      let link = try reader.rawValue()
      guard let operation = link[0]?.intValue, let position = link[1]?.intValue,
        let digest = link[2]?.stringValue.flatMap(SHA256Digest.init(hex:))
      else { throw CopyFault("a commit does not say what its changes were") }
      links.append(.init(operation: Int(operation), position: Int(position), digest: digest))
    }
    return links
  }

  private static func artifacts(from reader: inout JSONReader) throws -> [Artifact.ID] {
    var artifacts: [Artifact.ID] = []
    try reader.beginArray()
    while try reader.nextElement() {
      guard let artifact = Artifact.ID(try reader.string()) else {
        throw CopyFault("a commit erases what is no artifact")
      }
      artifacts.append(artifact)
    }
    return artifacts
  }
}
