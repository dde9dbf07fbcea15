#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// The first line of a version's file, which says which version it is. The commit's bytes follow the line.
struct VersionFile: Hashable {
  /// The hub that the file belongs to.
  let hub: UUID
  let session: UUID
  let version: Int64
  let stamp: UUID
  let base: UUID?
  /// The number of the commit's bytes.
  let size: Int64
  /// The digest of the commit's bytes.
  let digest: SHA256Digest

  var head: HubHead { HubHead(session: session, version: version, stamp: stamp) }

  /// The first line of the file.
  var line: [UInt8] {
    CheckedLine.encoded { line in
      line.member("format", FolderHub.format)
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
  init(_ offer: HubOffer, version: Int64, hub: UUID) {
    self.init(
      hub: hub, session: offer.session, version: version, stamp: offer.stamp, base: offer.base,
      size: Int64(offer.bytes.count), digest: SHA256.digest(of: offer.bytes))
  }

  /// Reads the first line; nil where a member is missing.
  init?(_ line: CheckedLine) {
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
  static func name(_ version: Int64) -> String { padded(bound - version) }

  /// The version that a name stands for; nil for the name of something else.
  static func version(named name: String) -> Int64? { number(name).map { bound - $0 } }

  /// A number with leading zeros, so that names sort as numbers do.
  static func padded(_ number: Int64) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
  }

  /// The number that a padded name stands for; nil for any other name, and for 0.
  static func number(_ name: String) -> Int64? {
    guard name.utf8.count == digits,
      name.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let number = Int64(name), number > 0
    else { return nil }
    return number
  }
}
