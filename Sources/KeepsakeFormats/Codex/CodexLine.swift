#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// A line of a rollout, with the time when it was written.
struct CodexLine {
  let object: JSONObject
  private let created: Date?
  /// The line's timestamp as written, where it can't be read as a time.
  private let foreignTime: String?

  init(_ object: JSONObject) {
    self.object = object
    let time = object.string("timestamp")
    created = time.flatMap(ForeignTime.date)
    foreignTime = created == nil ? time : nil
  }

  /// Returns an entry of the line with the line's time.
  func timed(_ entry: SourceEntry) -> SourceEntry {
    var entry = entry
    entry.entry.created = created
    entry.entry.foreignTime = foreignTime
    return entry
  }
}
