#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake

/// Gives the records and artifacts of a document to the store that restores its sessions.
struct TranscriptSource: CopySource {
  private let index: TranscriptIndex

  init(_ index: TranscriptIndex) { self.index = index }

  var format: String { TranscriptCodec.format.name }
  var manifest: CopyManifest { index.manifest }

  func open() -> any CopyReading { Reading(index: index) }

  func bytes(of artifact: Artifact.ID) -> ArtifactSource? {
    let (file, size) = (index.file, index.manifest.artifacts[artifact] ?? 0)
    switch index.bytes[artifact] {
    case .inline(let text):
      return .pieces(size: size) { take in
        try InlineBytes(of: artifact, size: size, at: text, in: file).read(take)
      }
    case .file(let path):
      return .pieces(size: size) { take in
        try NeighbouringFile(path, beside: file).read(size, take)
      }
    case nil: return nil
    }
  }

  private struct Reading: CopyReading {
    let index: TranscriptIndex
    private var session = 0
    /// The index of the list that is being read; nil before the session's own record.
    private var list: Int?
    private var walker: JSONWalker?

    init(index: TranscriptIndex) { self.index = index }

    mutating func next() throws -> CopyRecord? {
      while session < index.sessions.count {
        let place = index.sessions[session]
        guard let list else {
          self.list = 0
          return place.record
        }
        guard list < CopyRecord.Kind.listed.count else {
          session += 1
          self.list = nil
          continue
        }
        let kind = CopyRecord.Kind.listed[list]
        if walker == nil, let start = place.lists[kind] {
          walker = JSONWalker(index.file, at: start)
          try walker?.open("[")
        }
        if try walker?.nextElement() == true, let value = try walker?.skipValue() {
          return try CopyRecord(kind, reading: CopyFile.record(at: value, in: index.file))
        }
        walker = nil
        self.list = list + 1
      }
      // The document must not have changed while it was read, and the sessions are not shown before this check.
      try index.file.requireUnchanged()
      return nil
    }
  }
}

/// Reads an artifact's bytes from their base64 in a document.
private struct InlineBytes {
  private static let pieceSize: Int64 = 1 << 20

  private let artifact: Artifact.ID
  private let text: Range<Int64>
  private let file: ForeignFile

  init(of artifact: Artifact.ID, size: Int64, at text: Range<Int64>, in file: ForeignFile) throws {
    self.artifact = artifact
    self.text = text
    self.file = file
    let tail = try file.read(max(text.lowerBound, text.upperBound - 2)..<text.upperBound)
    let padding = Int64(tail.count { $0 == UInt8(ascii: "=") })
    guard text.count % 4 == 0, Int64(text.count) / 4 * 3 - padding == size else { throw wrong() }
  }

  func read(_ take: ([UInt8]) throws -> Void) throws {
    var start = text.lowerBound
    while start < text.upperBound {
      let end = min(text.upperBound, start + Self.pieceSize)
      let piece = Data(try file.read(start..<end))
      // Only the canonical spelling of base64 is accepted, and only its last piece may be padded.
      guard let bytes = Data(base64Encoded: piece), bytes.base64EncodedData() == piece,
        end == text.upperBound || bytes.count % 3 == 0
      else { throw wrong() }
      try take([UInt8](bytes))
      start = end
    }
  }

  private func wrong() -> CopyFault {
    CopyFault("the bytes of \(artifact) are not base64 of the length that they should have")
  }
}

/// A file in a document's folder or below, which is opened name by name, without following links.
private struct NeighbouringFile {
  private let path: String
  private let folder: String

  /// - Parameters:
  ///   - reference: The path, percent-encoded as in a URL.
  ///   - file: The document.
  init(_ reference: String, beside file: ForeignFile) throws {
    guard let path = URLPath.decoded(reference) else {
      throw CopyFault("'\(reference)' is not the path of a file, as URLs have it")
    }
    let names = path.split(separator: "/", omittingEmptySubsequences: false)
    guard names.allSatisfy({ !$0.isEmpty && $0 != "." && $0 != ".." }), !path.contains("\0") else {
      throw CopyFault("'\(path)' is not the name of a file beside it")
    }
    self.path = path
    folder = URL(filePath: file.name).absoluteURL.deletingLastPathComponent().path
  }

  func read(_ size: Int64, _ take: ([UInt8]) throws -> Void) throws {
    let file: FileDescriptor
    do {
      file = try OutsideFile.open(path, below: folder, maximumSize: size)
    } catch { throw unreadable(error) }
    var offset: Int64 = 0
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count: Int
      do { count = try file.read(into: &buffer, at: offset) } catch { throw unreadable(error) }
      if count == 0 { break }
      offset += Int64(count)
      // The file may grow while it is read.
      guard offset <= size else { break }
      try take(Array(buffer[..<count]))
    }
    guard offset == size else {
      throw CopyFault(
        "the file '\(path)' beside it has not the \(size) bytes that it should have")
    }
  }

  private func unreadable(_ error: FileError) -> CopyFault {
    CopyFault("the file '\(path)' beside it can't be read: \(error.message)")
  }
}
