#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// The entries that one record says, as they are put together.
struct RecordEntries {
  private(set) var entries: [SourceEntry] = []
  /// The entry that further segments belong to.
  private var open: Entry?

  /// Adds segments to the last entry where that is of the same kind, and begins one where it is not.
  mutating func add(
    _ segments: [Entry.Segment], to kind: Entry.Kind, in record: inout RecordReader
  ) {
    if segments.isEmpty { return }
    begin(kind, in: &record)
    open?.segments += segments
  }

  /// Adds a call to the last entry where that is one of calls.
  mutating func add(_ call: Entry.ToolCall, in record: inout RecordReader) {
    begin(.toolCalls, in: &record)
    open?.toolCalls.append(call)
  }

  /// Begins an entry unless the last is of the same kind. Attachments that are read afterwards belong to the entry.
  mutating func begin(_ kind: Entry.Kind, in record: inout RecordReader) {
    if open?.kind == kind { return }
    close(in: &record)
    open = Entry(kind, created: nil)
  }

  /// Signs the last entry.
  mutating func sign(_ signature: String) { open?.signature = signature }

  /// Says of all entries who wrote them.
  mutating func sign(author: String) {
    for index in entries.indices { entries[index].entry.author = author }
  }

  /// Hides the last entry from the person, because it is for the model alone.
  mutating func hideLast() { open?.visibility = .model }

  /// Adds an entry that stands by itself. Attachments that were read since the entry before belong to it.
  mutating func add(_ entry: Entry, in record: inout RecordReader) {
    entries.append(record.finish(entry))
  }

  /// Adds entries that another reader put together.
  mutating func add(_ others: [SourceEntry]) { entries += others }

  /// Ends the last entry. Attachments that are read afterwards belong to the next one.
  mutating func close(in record: inout RecordReader) {
    if let open { entries.append(record.finish(open)) }
    open = nil
  }

  /// Puts an entry before all others.
  mutating func precede(with entry: Entry) { entries.insert(SourceEntry(entry), at: 0) }

  /// Says of all entries when they came to be, and gives them keys by what the record is called.
  mutating func stamp(_ created: Date?, key: String?) {
    for index in entries.indices {
      entries[index].entry.created = created
      entries[index].entry.key = key.map { index == 0 ? $0 : "\($0)#\(index + 1)" }
    }
  }

  /// Says of what the model wrote which one it was, and what it took.
  mutating func complete(model: String?, usage: Usage?) {
    let written = entries.indices.filter {
      [.reasoning, .response, .toolCalls].contains(entries[$0].entry.kind)
    }
    for index in written { entries[index].entry.model = model }
    if let last = written.last { entries[last].entry.usage = usage }
  }

  /// Keeps with the first entry what the record says and no entry has a field for.
  mutating func keep(_ details: ForeignDetails, format: String) {
    guard !entries.isEmpty, !details.members.isEmpty else { return }
    var all = ForeignDetails(of: entries[0].entry, format: format)
    all.add(details.members.map { ($0.key, $0.value) })
    entries[0].entry.metadata = all.metadata(format: format)
  }

  /// Takes all of a record that is too large as it is.
  mutating func replace(with entry: SourceEntry) { entries = [entry] }

  /// Takes other entries in the place of those so far.
  mutating func replace(with others: [SourceEntry]) { entries = others }
}
