#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// An entry of a hub's feed: the sessions that a peer changed, a line each, and a line that says that it is whole.
package struct FeedEntry: Sendable, Hashable {
  private static let end = "end"

  /// The versions that the entry tells of.
  package private(set) var sessions: [UUID: Int64] = [:]
  /// Tells whether there were lines that this version of Keepsake can't read.
  package private(set) var hasMore = false

  /// The bytes of an entry about some versions.
  package static func encoded(_ heads: [HubHead]) -> [UInt8] {
    Array((heads.map { "\($0.session) \($0.version)\n" }.joined() + end + "\n").utf8)
  }

  /// Reads an entry; nil where it does not have its end.
  package init?(_ bytes: [UInt8]) {
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    guard lines.last == Self.end[...], bytes.last == 0x0A else { return nil }
    for line in lines.dropLast() {
      guard let (name, version) = FeedMark.pair(line), let session = UUID(text: name) else {
        hasMore = true
        continue
      }
      sessions[session] = max(version, sessions[session] ?? 0)
    }
  }
}

extension HubChanges {
  /// Adds what an entry says.
  package mutating func add(_ entry: FeedEntry) {
    sessions.merge(entry.sessions, uniquingKeysWith: max)
    if entry.hasMore { mayHaveMissed = true }
  }
}
