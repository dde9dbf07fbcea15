#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

extension JSONWriter {
  /// Writes a found entry.
  ///
  /// - Parameters:
  ///   - hit: The found entry.
  ///   - entry: The entry's id.
  package mutating func write(_ hit: SearchHit, entry: UUID?) {
    beginObject()
    fixed("session", hit.session)
    fixed("title", hit.title)
    fixed("position", hit.position)
    fixed("entry", entry?.text)
    fixed("kind", hit.kind.rawValue)
    fixed("callID", hit.callID)
    fixed("created", hit.created)
    fixed("snippet", hit.snippet.text)
    key("score")
    do { if let score = hit.score { try double(score) } else { null() } } catch { null() }
    endObject()
  }

  /// Writes a session that was found by its title, in the shape of a found entry.
  package mutating func write(titled session: Session.Summary) {
    beginObject()
    fixed("session", session.id)
    fixed("title", session.title)
    fixed("position", nil as Int?)
    fixed("entry", nil as String?)
    fixed("kind", "title")
    fixed("callID", nil as String?)
    fixed("created", session.created)
    fixed("snippet", session.title)
    fixed("score", nil as String?)
    endObject()
  }
}
