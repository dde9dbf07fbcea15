#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// The messages of the streams of events: objects of JSON with a member `what`.
///
/// They name what changed, and have none of its content. Who listens asks for what they show of it.
enum LiveEvent {
  /// Something of a session changed, for those who show a list of sessions.
  static func ofStore(_ event: StoreEvent, number: Int) -> String? {
    switch event {
    case .draft, .progress, .turn, .draftEnded: return nil
    default:
      return object("session") { writer in
        writer.fixed("session", event.session)
        writer.fixed("change", number)
      }
    }
  }

  static func hello(number: Int) -> String { object("hello") { $0.fixed("change", number) } }

  static func hello(_ standing: Session.Standing) -> String {
    object("hello") {
      $0.fixed("entries", standing.entries)
      $0.fixed("changes", standing.changes)
    }
  }

  /// Something happened in the session, for those who show it.
  static func ofSession(_ event: StoreEvent, _ session: Session?) async -> String? {
    let standing = try? await session?.standing()
    func told(_ what: String, _ write: (inout JSONWriter) -> Void = { _ in }) -> String {
      object(what) { writer in
        write(&writer)
        if let standing {
          writer.fixed("entries", standing.entries)
          writer.fixed("changes", standing.changes)
        }
      }
    }
    switch event {
    case .created: return nil
    case .appended(_, let positions):
      return told("appended") {
        $0.fixed("from", positions.lowerBound)
        $0.fixed("to", positions.upperBound)
      }
    case .revised(_, let position): return told("entry") { $0.fixed("position", position) }
    case .attached(_, let attachment), .bound(_, let attachment):
      guard let position = attachment.position else { return told("now") }
      return told("entry") { $0.fixed("position", position) }
    case .draft, .draftEnded, .invoked, .turn: return told("now")
    case .progress(_, let run, let fraction, let note):
      return object("progress") { writer in
        writer.fixed("run", run)
        writer.key("fraction")
        do { try writer.double(fraction) } catch { writer.null() }
        writer.fixed("note", note)
      }
    case .renamed: return told("renamed")
    case .deleted: return object("deleted")
    case .changedElsewhere: return told("elsewhere")
    }
  }

  private static func object(_ what: String, _ write: (inout JSONWriter) -> Void = { _ in })
    -> String
  {
    var writer = JSONWriter()
    writer.beginObject()
    writer.fixed("what", what)
    write(&writer)
    writer.endObject()
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
