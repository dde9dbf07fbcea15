#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import KeepsakeFiles

/// A hub in a folder keeps each note as a file. The file's name says the note's kind and id, and its time says when the note was left.
extension FolderHub {
  package func leave(_ text: String, as kind: HubNote.Kind, _ id: UUID) async throws {
    try HubNote.check(text)
    let name = HubNote.name(kind, id)
    try await run { [self] in
      let file = try NewFile(name, in: notes, replacing: true)
      try file.write(Array(text.utf8))
      try file.finish()
    }
  }

  package func notes(_ kind: HubNote.Kind) async throws -> [HubNote] {
    try await run { [self] in
      let now = WallClock.seconds
      return try notes.names().compactMap { name in
        guard let id = HubNote.id(of: name, kind) else { return nil }
        do throws(FileError) {
          let file = try notes.openFile(name)
          let text = try file.readAll(limit: HubNote.largestText)
          let age = Duration.seconds(max(0, now - (try file.status().modified) / 1_000_000_000))
          return HubNote(
            kind: kind, id: id, text: String(decoding: text, as: UTF8.self), age: age)
        } catch {
          // The note was removed meanwhile, or something else has its name.
          if [.notFound, .notRegular, .link, .tooLarge].contains(error.code) { return nil }
          throw error
        }
      }
    }
  }

  package func removeNotes(_ kind: HubNote.Kind, _ ids: [UUID]) async throws {
    try await run { [self] in
      for name in ids.map({ HubNote.name(kind, $0) }) where try notes.exists(name) {
        do throws(FileError) { try notes.unlink(name) } catch {
          guard error.code == .notFound else { throw error }
        }
      }
    }
  }
}

extension HubNote {
  /// The name of a note's file or object.
  package static func name(_ kind: Kind, _ id: UUID) -> String { "\(kind.rawValue)-\(id)" }

  /// Reads the id of a note of a kind from the name of its file or object; nil for any other name.
  package static func id(of name: String, _ kind: Kind) -> UUID? {
    guard let id = UUID(text: String(name.dropFirst(kind.rawValue.count + 1))),
      self.name(kind, id) == name
    else { return nil }
    return id
  }
}
