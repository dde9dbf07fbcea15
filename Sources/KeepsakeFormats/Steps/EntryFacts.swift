#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

extension Entry {
  /// The facts about the entry that only a store knows, for formats with room for any data.
  /// - Parameter attachments: Descriptions of the attachments that stand in no segment.
  func facts(attachments: [JSON] = []) -> JSON {
    var members: [(String, JSON)] = []
    func add(_ name: String, _ value: JSON?) {
      if let value { members.append((name, value)) }
    }
    add("position", position.map { .number(Int64($0)) })
    add("kind", .string(kind.rawValue))
    add("id", .string(id.text))
    if status != .complete { add("status", .string(status.rawValue)) }
    if visibility != .everyone { add("visibility", .string(visibility.rawValue)) }
    add("created", created.map { .string(RFC3339.text($0.microseconds)) })
    add("author", author.map(JSON.string))
    add("lane", lane.map(JSON.string))
    if !tags.isEmpty { add("tags", .array(tags.map(JSON.string))) }
    add("signature", signature.map(JSON.string))
    add("options", options)
    add("responseFormat", responseFormat)
    add("timing", timing)
    add("metadata", metadata)
    if !attachments.isEmpty { add("attachments", .array(attachments)) }
    return .object(members)
  }
}
