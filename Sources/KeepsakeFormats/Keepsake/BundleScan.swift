import KeepsakeFiles
import Keepsake

/// Reads a whole bundle once, notes the range of each member, and checks the SHA-256 at the end.
///
/// Only what ``BundleWriter`` writes is accepted: the expected members, in their order, with exactly the expected
/// headers. So no name in a bundle is ever used as a path.
struct BundleScan: ~Copyable {
  private static let manifestLimit: Int64 = 256 << 20
  private static let endLimit: Int64 = 4096

  let file: ForeignFile
  private(set) var manifest = CopyManifest()
  private(set) var records: [Range<Int64>] = []
  private(set) var bytes: [Artifact.ID: Range<Int64>] = [:]
  private var hasBytes = true
  /// The artifacts in the order in which their members must come.
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

  /// Reads the header of the next member, after which its bytes stand.
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
    guard header.size <= file.size - offset else { throw endsEarly() }
    let range = offset..<(offset + header.size)
    hash.update(block)
    try hashContent(header)
    members = 1
    let read = try BundleManifest(file, at: range)
    manifest = read.copy
    hasBytes = read.hasBytes
    expected = read.artifacts
  }

  /// Notes the range of a member; false for the last member.
  private mutating func take(_ header: TarHeader) throws -> Bool {
    if header.name == BundleName.end {
      try readEnd(header)
      return false
    }
    members += 1
    hash.update(header.bytes)
    guard header.size <= file.size - offset else { throw endsEarly() }
    let range = offset..<(offset + header.size)
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
    try hashContent(header)
    return true
  }

  /// Hashes a member's bytes, and the zero bytes up to the next header.
  private mutating func hashContent(_ header: TarHeader) throws {
    let end = offset + header.size
    while offset < end {
      // A member may be of any size, so the caller must be able to cancel.
      try Task.checkCancellation()
      hash.update(try read(min(1 << 20, end - offset)))
    }
    let padding = try read(Int64(TarHeader.padding(after: header.size)))
    guard padding.allSatisfy({ $0 == 0 }) else {
      throw CopyFault("something stands behind its member '\(header.name)'")
    }
    hash.update(padding)
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

  /// The whole content of a small member.
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
}
