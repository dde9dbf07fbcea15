#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake

/// Writes a bundle from its beginning to its end, so that the output can be a pipe.
struct BundleWriter: ~Copyable {
  /// The size of a member with records, in bytes: once so many bytes are gathered, they are written.
  private static let memberSize = 4 << 20

  private let hasBytes: Bool
  private let take: ([UInt8]) throws -> Void
  private var hash = SHA256()
  private var members = 0
  private var parts = 0
  private var records: [UInt8] = []

  init(hasBytes: Bool, _ take: @escaping ([UInt8]) throws -> Void) {
    self.hasBytes = hasBytes
    self.take = take
  }

  private mutating func put(_ bytes: [UInt8]) throws {
    guard !bytes.isEmpty else { return }
    hash.update(bytes)
    try take(bytes)
  }

  private mutating func put(_ name: String, _ bytes: [UInt8]) throws {
    members += 1
    let size = Int64(bytes.count)
    try put(TarHeader(name: name, size: size).bytes)
    try put(bytes)
    try put([UInt8](repeating: 0, count: TarHeader.padding(after: size)))
  }

  mutating func writeSessions(_ sessions: [Session]) throws -> SessionCopy.Summary {
    let summary = try SessionCopy(of: sessions).read { manifest, summary in
      try put(BundleName.manifest, json(manifest, summary))
    } take: { record in
      var json = JSONWriter()
      json.beginObject()
      json.key(escaping: record.kind.rawValue)
      try record.write(to: &json)
      json.endObject()
      records += (records.isEmpty ? Array("[\n".utf8) : Array(",\n".utf8)) + json.bytes
      if records.count >= Self.memberSize { try putRecords() }
    }
    try putRecords()
    return summary
  }

  private mutating func putRecords() throws {
    guard !records.isEmpty else { return }
    parts += 1
    records += "\n]\n".utf8
    try put(BundleName.records(parts), records)
    records.removeAll(keepingCapacity: true)
  }

  private func json(_ manifest: CopyManifest, _ summary: SessionCopy.Summary) -> [UInt8] {
    var json = JSONWriter()
    json.beginObject()
    json.member("keepsake", BundleCodec.mark)
    json.member("version", BundleCodec.version)
    json.member("recordings", manifest.recordings)
    json.key("hasBytes")
    json.bool(hasBytes)
    json.key("sessions")
    json.beginArray()
    for head in manifest.sessions { BundleManifest.write(head, to: &json) }
    json.endArray()
    json.key("artifacts")
    json.beginArray()
    for artifact in summary.artifacts {
      BundleManifest.write(artifact.id, size: artifact.size, to: &json)
    }
    json.endArray()
    json.endObject()
    return json.bytes + [0x0A]
  }

  /// Writes an artifact's bytes as a member.
  mutating func write(_ artifact: Artifact) async throws {
    members += 1
    try put(TarHeader(name: BundleName.artifact(artifact.id), size: artifact.size).bytes)
    for try await piece in artifact.chunks() { try put(piece) }
    try put([UInt8](repeating: 0, count: TarHeader.padding(after: artifact.size)))
  }

  mutating func finish() throws {
    let end = BundleEnd(members: members, digest: hash.finalize()).json
    let size = Int64(end.count)
    try take(
      TarHeader(name: BundleName.end, size: size).bytes + end
        + [UInt8](repeating: 0, count: TarHeader.padding(after: size) + 2 * TarHeader.blockSize))
  }
}
