#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Writes a document with one record on each line: first the sessions, then the artifacts.
struct TranscriptWriter {
  private static let pieceSize = 1 << 16

  private let take: ([UInt8]) throws -> Void
  private var bytes: [UInt8] = []
  private var isFirstArtifact = true

  init(_ take: @escaping ([UInt8]) throws -> Void) { self.take = take }

  private mutating func put(_ text: String) { bytes += text.utf8 }

  private mutating func flush(above size: Int = pieceSize) throws {
    guard bytes.count > size else { return }
    try take(bytes)
    bytes.removeAll(keepingCapacity: true)
  }

  // MARK: - Sessions

  mutating func writeSessions(_ sessions: [Session]) throws -> SessionCopy.Summary {
    var list: CopyRecord.Kind?
    var isFirstSession = true
    var isFirstRecord = true
    let summary = try SessionCopy(of: sessions).read { manifest, _ in
      put(
        #"{"keepsake":"\#(TranscriptCodec.mark)","version":\#(TranscriptCodec.version),"#
          + #""recordings":\#(manifest.recordings),"# + "\n\"sessions\":[")
    } take: { record in
      var json = JSONWriter()
      if record.kind == .session {
        if !isFirstSession { endSession(list) }
        put(isFirstSession ? "\n" : ",\n")
        isFirstSession = false
        list = nil
        json.beginObject()
        try record.writeMembers(to: &json)
        bytes += json.bytes
      } else {
        if list != record.kind {
          if list != nil { put("]") }
          // Every session has a list of entries, if only an empty one, because readers look for it.
          if !Self.hasPassed(.entry, from: list), Self.hasPassed(.entry, from: record.kind),
            record.kind != .entry
          {
            put(",\n\"entries\":[]")
          }
          put(",\n\"\(record.kind.plural)\":[\n")
          list = record.kind
          isFirstRecord = true
        }
        if !isFirstRecord { put(",\n") }
        isFirstRecord = false
        try record.write(to: &json)
        bytes += json.bytes
      }
      try flush()
    }
    endSession(list)
    put("\n],\n\"artifacts\":[")
    return summary
  }

  private mutating func endSession(_ list: CopyRecord.Kind?) {
    if list != nil { put("]") }
    if !Self.hasPassed(.entry, from: list) { put(",\n\"entries\":[]") }
    put("}")
  }

  /// Returns whether a list of one kind comes at or after the list of another kind in the order of lists.
  private static func hasPassed(_ kind: CopyRecord.Kind, from list: CopyRecord.Kind?) -> Bool {
    guard let list, let here = CopyRecord.Kind.listed.firstIndex(of: list),
      let there = CopyRecord.Kind.listed.firstIndex(of: kind)
    else { return false }
    return here >= there
  }

  // MARK: - Artifacts

  /// Writes an artifact whose bytes are in a file beside the document, or left out.
  mutating func write(_ artifact: Artifact, at path: String?) throws {
    begin(artifact)
    if let path {
      var json = JSONWriter()
      json.string(path)
      put(#","file":"#)
      bytes += json.bytes
    }
    put("}")
    try flush()
  }

  /// Writes an artifact with its bytes.
  mutating func write(_ artifact: Artifact) async throws {
    begin(artifact)
    put(#","data":""#)
    // The size of a piece is divisible by three, so that the pieces' base64 can be joined without padding.
    for try await piece in artifact.chunks(of: 3 << 18) {
      bytes += [UInt8](Data(piece).base64EncodedData())
      try flush()
    }
    put("\"}")
    try flush()
  }

  private mutating func begin(_ artifact: Artifact) {
    put(isFirstArtifact ? "\n" : ",\n")
    isFirstArtifact = false
    put(#"{"artifact":"\#(artifact.id)","size":\#(artifact.size)"#)
  }

  mutating func finish() throws {
    put("\n]}\n")
    try flush(above: 0)
  }
}
