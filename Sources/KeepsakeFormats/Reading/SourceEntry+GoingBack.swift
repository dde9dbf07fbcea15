import Keepsake

extension SourceEntry {
  /// An event that says that the conversation goes on after an entry of the file, counted from 0; -1 is its beginning.
  static func goingBack(after entry: Int, _ text: String = Entry.wentBack) -> SourceEntry {
    var event = Entry(.event, segments: [.text(text)], created: nil)
    event.visibility = .person
    event.tags = ["rewind"]
    var source = SourceEntry(event)
    source.continuesAfter = entry
    return source
  }
}
