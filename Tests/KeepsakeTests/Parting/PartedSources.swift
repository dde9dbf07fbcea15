import Foundation

@testable import Keepsake

/// What a session keeps of foreign files, and the list that it saved last, as values without the numbers of changes.
struct PartedSources {
  private let saved: [[CopyRecord.Value]]
  private var files: [File] = []

  private struct File {
    let name: [CopyRecord.Value]
    /// The digests by which the file is recognized once it has grown.
    let recognition: [CopyRecord.Value]
    /// The bytes and the spans of its own pieces.
    let pieces: [[CopyRecord.Value]]
  }

  /// Reads what a session keeps, of the files that were imported after one of its changes.
  init(of id: UUID, after change: Int = 0, in store: Store) async throws {
    let records = try await store.wholeCommits(of: [id]).first { $0.session == id }?.records ?? []
    saved = records.filter { $0.kind == .saved }.map(\.values)
    for source in records where source.kind == .source && source.recorded > change {
      func isOfSource(_ record: CopyRecord) -> Bool {
        record["import"] == source["chain.recorded"]
      }
      let recognition = records.first { $0.kind == .recognition && isOfSource($0) }
      let pieces = records.filter { $0.kind == .piece && isOfSource($0) }
      files.append(
        File(
          name: ["format", "fileName", "size", "fileDigest", "first", "count"].map { source[$0] },
          recognition: recognition.map { Array($0.values.dropFirst()) } ?? [],
          pieces: pieces.map { $0.values.dropFirst() + $0.children.flatMap(\.values) }))
    }
  }

  /// Returns what differs in the session that this one became.
  /// - Parameters:
  ///   - parted: What that session keeps.
  ///   - isErased: Whether the hub erased something of the original, so that the saved list is forgotten.
  ///   - shared: The positions of shared entries of which something was erased, so that no piece says these entries.
  func difference(to parted: PartedSources, isErased: Bool, shared: Set<Int>) -> String? {
    guard parted.saved == saved || isErased && parted.saved.isEmpty else { return "the saved list" }
    guard parted.files.count == files.count else { return "\(parted.files.count) files" }
    for (file, got) in zip(files, parted.files) {
      guard file.name == got.name else { return "another file" }
      guard file.recognition == got.recognition else { return "how a file is recognized" }
      guard file.pieces.count == got.pieces.count else { return "\(got.pieces.count) pieces" }
      for (piece, other) in zip(file.pieces, got.pieces) where piece != other {
        let place = 3
        guard isErased || Self.says(shared, piece), other.prefix(place) == piece.prefix(place),
          other.dropFirst(place).allSatisfy({ $0 == .null })
        else { return "a piece" }
      }
    }
    return nil
  }

  /// Tells whether a piece says an entry at one of some positions. The values of a piece begin with its number, the position of its first entry,
  /// and the number of its entries.
  private static func says(_ positions: Set<Int>, _ piece: [CopyRecord.Value]) -> Bool {
    guard case .integer(let first) = piece[1], case .integer(let count) = piece[2] else {
      return false
    }
    return (Int(first)..<Int(first + count)).contains(where: positions.contains)
  }
}
