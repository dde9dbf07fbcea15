/// An entry of a foreign file, with its attachments.
package struct SourceEntry: Sendable {
  package var entry: Entry
  package var attachments: [Entry.NewAttachment]
  /// The entry of the file after which the conversation goes on, for an event that goes back; nil for other entries.
  ///
  /// Entries are counted from 0, and -1 is the beginning of the file. The import, which knows the positions, sets
  /// ``Entry/continuesAfter`` from this.
  package var continuesAfter: Int?

  package init(_ entry: Entry, attaching attachments: [Entry.NewAttachment] = []) {
    self.entry = entry
    self.attachments = attachments
  }
}
