import Keepsake

extension SourceEntry {
  /// An event after which the conversation continues behind an earlier entry of the file.
  /// - Parameters:
  ///   - entry: The index of that entry in the file, counted from 0; -1 for the beginning.
  ///   - text: The event's text.
  static func goingBack(after entry: Int, _ text: String = Entry.wentBack) -> SourceEntry {
    var event = Entry(.event, segments: [.text(text)], created: nil)
    event.visibility = .person
    event.tags = ["rewind"]
    var source = SourceEntry(event)
    source.continuesAfter = entry
    return source
  }
}
