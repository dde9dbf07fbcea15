#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
package import Keepsake
import KeepsakeFiles

/// A hub in a bucket keeps each note as an object. The object's key says the note's kind and id, and its time says when the note was
/// left.
extension ObjectHub {
  package func leave(_ text: String, as kind: HubNote.Kind, _ id: UUID) async throws {
    try HubNote.check(text)
    let key = keys.notes + HubNote.name(kind, id)
    try await run { _ = try await store.put(key, Array(text.utf8)) }
  }

  package func notes(_ kind: HubNote.Kind) async throws -> [HubNote] {
    try await run {
      let now = WallClock.seconds
      var found: [(key: String, id: UUID, age: Duration)] = []
      try await store.listAll(keys.notes + kind.rawValue + "-") { [keys] page in
        for entry in page.entries {
          let name = String(entry.key.dropFirst(keys.notes.count))
          guard let id = HubNote.id(of: name, kind) else { continue }
          found.append((entry.key, id, .seconds(entry.written.map { max(0, now - $0) } ?? 0)))
        }
        return true
      }
      return try await Abreast.map(found) { [store] note in
        try await store.get(note.key, count: HubNote.largestText).map {
          HubNote(
            kind: kind, id: note.id, text: String(decoding: $0.bytes, as: UTF8.self), age: note.age)
        }
      }.compactMap(\.self)
    }
  }

  package func removeNotes(_ kind: HubNote.Kind, _ ids: [UUID]) async throws {
    try await run {
      _ = try await Abreast.map(ids) { [store, keys] id in
        try await store.delete(keys.notes + HubNote.name(kind, id))
      }
    }
  }
}
