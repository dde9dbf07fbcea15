import Foundation
import KeepsakeFiles

@testable import Keepsake

/// What a session keeps of foreign files, and the list that it saved last, as records without the numbers of changes.
struct PartedSources: Equatable {
  private(set) var saved: [[CopyRecord.Value]] = []
  /// Each file by its digest and the first position that it says, with what it is recognized by, and its pieces.
  private(set) var files: [File] = []

  struct File: Hashable {
    let name: [CopyRecord.Value]
    let recognition: [CopyRecord.Value]
    /// The bytes and the spans of its own pieces.
    let pieces: [[CopyRecord.Value]]
  }

  init(of session: Session) async throws {
    let id = session.id
    let commits = try await Store(handle: session.handle).wholeCommits(of: [id])
    let records = commits.first { $0.session == id }?.records ?? []
    saved = records.filter { $0.kind == .saved }.map(\.values)
    for source in records where source.kind == .source {
      let number = source["chain.recorded"]
      let recognition = records.first { $0.kind == .recognition && $0["import"] == number }
      let pieces = records.filter { $0.kind == .piece && $0["import"] == number }.map { piece in
        Array(piece.values.dropFirst()) + piece.children.flatMap(\.values)
      }
      files.append(
        File(
          name: ["format", "fileName", "size", "fileDigest", "first", "count"].map { source[$0] },
          recognition: recognition.map { Array($0.values.dropFirst()) } ?? [], pieces: pieces))
    }
  }

  /// Returns what differs in the session that this one became; a fork has the files alone that are not the original's.
  func difference(to parted: PartedSources, isFork: Bool) -> String? {
    if parted.saved != saved, !parted.saved.isEmpty || !mayForget(parted) { return "the saved list" }
    for file in parted.files where !files.contains(where: { $0.isSame(as: file) }) {
      return "a file of nothing here"
    }
    if !isFork, parted.files.count != files.count { return "\(parted.files.count) files" }
    return nil
  }

  private func mayForget(_ parted: PartedSources) -> Bool { false }
}

extension PartedSources.File {
  /// Tells whether two say the same, of which the other may have lost the bytes of pieces.
  fileprivate func isSame(as other: PartedSources.File) -> Bool {
    name == other.name && recognition == other.recognition && pieces.count == other.pieces.count
      && zip(pieces, other.pieces).allSatisfy { mine, got in
        mine == got || got.prefix(3) == mine.prefix(3) && got.dropFirst(3).allSatisfy { $0 == .null }
      }
  }
}
