#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Files
import Keepsake

/// Reads all of a bundle once, notes what is where, and compares with the SHA-256 at its end.
///
/// Nothing is accepted but what ``BundleWriter`` writes: the members that are expected, in their order, with no byte in their
/// headers that is another. So no name in it becomes a path.
struct BundleScan: ~Copyable {
  private static let manifestLimit: Int64 = 256 << 20
  private static let endLimit: Int64 = 4096

  let file: ForeignFile
  private(set) var manifest = CopyManifest()
  private(set) var records: [Range<Int64>] = []
  private(set) var bytes: [Artifact.ID: Range<Int64>] = [:]
  private var hasBytes = true
  /// In the order in which they must come.
  private var expected: [Artifact.ID] = []
  private var offset: Int64 = 0
  private var members = 0
  private var hash = SHA256()

  init(_ file: ForeignFile) { self.file = file }

  mutating func run() throws {
    try readManifest()
    while try take(header()) {}
    guard members > 0, bytes.count == (hasBytes ? expected.count : 0) else {
      throw CopyFault("the bytes of artifacts are missing from it")
    }
  }

  /// The next member's header; its bytes come next.
  private mutating func header() throws -> TarHeader {
    let block = try read(Int64(TarHeader.blockSize))
    guard let header = TarHeader(block) else {
      throw CopyFault(
        "the block at byte \(offset - 512) is not the header of a regular file as it should be")
    }
    return header
  }

  private mutating func readManifest() throws {
    let block = try file.read(0..<min(file.size, 512))
    let header = try header()
    guard header.name == BundleName.manifest else {
      throw CopyFault("its first member is not '\(BundleName.manifest)'")
    }
    guard header.size <= Self.manifestLimit else {
      throw CopyFault("its '\(BundleName.manifest)' is larger than \(Self.manifestLimit) bytes")
    }
    let bytes = try content(header)
    hash.update(block)
    hash.update(bytes)
    members = 1
    try hashPadding(header)
    let json: JSON
    do { json = try JSON(validating: bytes) } catch {
      throw CopyFault("its '\(BundleName.manifest)' can't be read: \(error.message)")
    }
    guard json["keepsake"]?.stringValue == BundleCodec.mark, let version = json["version"]?.intValue
    else { throw CopyFault("its '\(BundleName.manifest)' is of no bundle of Keepsake's") }
    try CopyFile.requireVersion(version, of: BundleCodec.version, file)
    try takeManifest(json)
  }

  private mutating func takeManifest(_ json: JSON) throws {
    guard let recordings = json["recordings"]?.intValue, let hasBytes = json["hasBytes"]?.boolValue,
      (0...CopyManifest.recordingLimit).contains(recordings),
      let sessions = json["sessions"]?.arrayValue, let artifacts = json["artifacts"]?.arrayValue
    else { throw CopyFault("its '\(BundleName.manifest)' does not say what is in it") }
    manifest.recordings = recordings
    self.hasBytes = hasBytes
    for session in sessions {
      guard let id = session["id"]?.stringValue.flatMap(UUID.init(uuidString:)),
        let changes = session["changes"]?.intValue, (0...(1 << 40)).contains(changes),
        let head = session["head"]?.stringValue.flatMap(SHA256Digest.init(hex:)),
        let state = session["state"]?.stringValue
      else { throw CopyFault("its '\(BundleName.manifest)' names a session that can't be read") }
      manifest.sessions.append(
        .init(
          session: id, changes: Int(changes), head: Self.bytes(head), purged: state == "purged"))
    }
    for artifact in artifacts {
      guard let id = artifact["artifact"]?.stringValue.flatMap(Artifact.ID.init),
        let size = artifact["size"]?.intValue, size >= 0
      else { throw CopyFault("its '\(BundleName.manifest)' names an artifact that can't be read") }
      guard manifest.artifacts.updateValue(size, forKey: id) == nil else {
        throw CopyFault("\(id) is in it twice")
      }
      expected.append(id)
    }
  }

  /// Takes note of a member; false for the last.
  private mutating func take(_ header: TarHeader) throws -> Bool {
    if header.name == BundleName.end {
      try readEnd(header)
      return false
    }
    members += 1
    hash.update(header.bytes)
    let range = offset..<(offset &+ header.size)
    guard header.size <= file.size - offset else { throw endsEarly() }
    if bytes.isEmpty, header.name == BundleName.records(records.count + 1) {
      records.append(range)
    } else if hasBytes, bytes.count < expected.count,
      header.name == BundleName.artifact(expected[bytes.count])
    {
      let id = expected[bytes.count]
      guard header.size == manifest.artifacts[id] else {
        throw CopyFault(
          "\(id) should have \(manifest.artifacts[id] ?? 0) bytes and has \(header.size)")
      }
      bytes[id] = range
    } else {
      throw CopyFault("its member '\(header.name)' is not the one that should come at that place")
    }
    while offset < range.upperBound {
      hash.update(try read(min(1 << 20, range.upperBound - offset)))
    }
    try hashPadding(header)
    return true
  }

  private mutating func hashPadding(_ header: TarHeader) throws {
    hash.update(try read(Int64(TarHeader.padding(after: header.size))))
  }

  private mutating func readEnd(_ header: TarHeader) throws {
    guard header.size <= Self.endLimit else { throw CopyFault("its end is not as it should be") }
    let end = BundleEnd(members: members, digest: hash.finalize()).json
    guard try content(header) == end else {
      throw CopyFault(
        "it was altered or damaged: it does not have the SHA-256 that its end says it has")
    }
    let rest = TarHeader.padding(after: header.size) + 2 * TarHeader.blockSize
    guard file.size - offset == Int64(rest) else {
      throw offset + Int64(rest) > file.size
        ? endsEarly() : CopyFault("something follows its end, at byte \(offset + Int64(rest))")
    }
    guard try read(Int64(rest)).allSatisfy({ $0 == 0 }) else {
      throw CopyFault("something follows its end")
    }
  }

  /// All of a small member.
  private mutating func content(_ header: TarHeader) throws -> [UInt8] { try read(header.size) }

  private mutating func read(_ count: Int64) throws -> [UInt8] {
    guard count <= file.size - offset else { throw endsEarly() }
    let bytes = try file.read(offset..<(offset + count))
    offset += count
    return bytes
  }

  private func endsEarly() -> CopyFault {
    CopyFault("it ends early, at byte \(file.size); it was cut off")
  }

  private static func bytes(_ digest: SHA256Digest) -> [UInt8] {
    digest.withBytes { span in
      (0..<span.byteCount).map { span.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
    }
  }
}
