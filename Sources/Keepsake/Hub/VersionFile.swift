#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
package import KeepsakeFiles

/// The first line of a version's file, which says which version it is. The commit's bytes follow the line.
///
/// An object in a bucket has the same line as a file in a folder.
package struct VersionFile: Sendable, Hashable {
  /// The format that this version of Keepsake writes, and the newest that it reads.
  package static let format: Int64 = 1
  /// The most bytes of one commit.
  package static let largestCommit = 1 << 30

  /// The hub that the file belongs to.
  package let hub: UUID
  /// The session.
  package let session: UUID
  /// The number of the version, counted from 1.
  package let version: Int64
  /// The stamp of the commit.
  package let stamp: UUID
  /// The stamp of the version before; nil for the first one.
  package let base: UUID?
  /// The number of the commit's bytes.
  package let size: Int64
  /// The digest of the commit's bytes.
  package let digest: SHA256Digest

  /// The version, as the hub's others name it.
  package var head: HubHead { HubHead(session: session, version: version, stamp: stamp) }

  /// The first line of the file.
  package var line: [UInt8] {
    CheckedLine.encoded { line in
      line.member("format", Self.format)
      line.member("hub", "\(hub)")
      line.member("session", "\(session)")
      line.member("version", version)
      line.member("stamp", "\(stamp)")
      line.fixed("base", base.map { "\($0)" })
      line.member("size", size)
      line.member("sha256", digest.hex)
    }
  }
}

extension VersionFile {
  /// Creates the line of an offer that becomes a version.
  package init(_ offer: HubOffer, version: Int64, hub: UUID) {
    self.init(
      hub: hub, session: offer.session, version: version, stamp: offer.stamp, base: offer.base,
      size: Int64(offer.bytes.count), digest: SHA256.digest(of: offer.bytes))
  }

  /// Reads the first line; nil where a member is missing.
  package init?(_ line: CheckedLine) {
    guard let hub = line.id("hub"), let session = line.id("session"),
      let version = line.number("version"), let stamp = line.id("stamp"),
      let size = line.number("size"), size >= 0,
      let digest = line.object["sha256"]?.stringValue.flatMap(SHA256Digest.init(hex:)),
      let base = line.object["base"]
    else { return nil }
    self.init(
      hub: hub, session: session, version: version, stamp: stamp, base: line.id("base"),
      size: size, digest: digest)
    guard base.isNull || self.base != nil else { return nil }
  }
}

// MARK: - Names

extension VersionFile {
  /// The number after the highest number that a version can have.
  private static let bound: Int64 = 1_000_000_000_000_000_000
  private static let digits = 18

  /// The name of a version's file: a listing by name has the newest first.
  package static func name(_ version: Int64) -> String { padded(bound - version) }

  /// The version that a name stands for; nil for the name of something else.
  package static func version(named name: String) -> Int64? { number(name).map { bound - $0 } }

  /// A number with leading zeros, so that names sort as numbers do.
  package static func padded(_ number: Int64) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  /// The number that a padded name stands for; nil for any other name, and for 0.
  package static func number(_ name: String) -> Int64? {
    guard name.utf8.count == digits,
      name.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let number = Int64(name), number > 0
    else { return nil }
    return number
  }
}
