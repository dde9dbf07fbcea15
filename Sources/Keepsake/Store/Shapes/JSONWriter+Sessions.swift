#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension JSONWriter {
  /// Writes a session as an element of a list.
  package mutating func write(_ session: Session.Summary) {
    beginObject()
    fixed("id", session.id)
    fixed("title", session.title)
    fixed("model", session.model)
    fixed("origin", session.origin)
    fixed("created", session.created)
    fixed("updated", session.updated)
    fixed("entries", session.entries)
    fixed("attachments", session.attachments)
    fixed("bytes", session.bytes)
    fixed("preview", session.preview)
    strings("tags", session.tags)
    fixed("forkOf", session.forkOf?.text)
    fixed("forkPosition", session.forkPosition)
    endObject()
  }
}
