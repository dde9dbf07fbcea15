import KeepsakeFiles
import KeepsakeSQLite

/// Gives the records of pieces what their rows say in the words of one store: the bytes and the spans.
struct PieceRecords {
  private let db: Connection
  /// The session whose file the pieces are of, for messages.
  private let session: String
  private var digests: [Int64: SHA256Digest] = [:]

  init(of session: String, in db: Connection) {
    self.session = session
    self.db = db
  }

  /// Gives a record its bytes as the file has them, and its spans; returns false if the piece is not there.
  mutating func complete(_ record: inout CopyRecord, _ id: Int64) throws -> Bool {
    let piece = try db.prepare("SELECT size, spans FROM source_piece WHERE id = ?")
    piece.bind(id)
    guard try piece.step() else { return false }
    // The record is the same, whether its store has packed the piece or not.
    if let size = try piece.optionalInt(in: .size), let stored = record.bytes("bytes") {
      record["bytes"] = .blob(try PieceBytes(stored, size: size).unpacked())
    }
    for span in try SpanText.spans(of: id, in: piece) {
      record.children.append(CopyRecord(span, of: try digest(of: span.artifact)))
    }
    return true
  }

  private mutating func digest(of artifact: Int64) throws -> SHA256Digest {
    if let digest = digests[artifact] { return digest }
    guard let digest = try ArtifactTable(db: db).digest(of: artifact) else {
      throw KeepsakeError(
        .damaged, "A file that \(session) was imported from has lost an artifact.", remedy: .verify)
    }
    digests[artifact] = digest
    return digest
  }
}

extension CopyRecord {
  fileprivate init(_ span: SourcePiece.Span, of artifact: SHA256Digest) {
    self.init(.span)
    self["position"] = .integer(Int64(span.position))
    self["artifact"] = .blob(artifact.bytes)
    self["spelling"] = .integer(Int64(span.spelling.rawValue))
  }
}
