#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Gathers the entries of one record.
struct RecordEntries {
  private(set) var entries: [SourceEntry] = []
  /// The entry to which further segments are added.
  private var open: Entry?

  /// Adds segments to the open entry where it has the kind, else to a new entry.
  mutating func add(
    _ segments: [Entry.Segment], to kind: Entry.Kind, in record: inout RecordReader
  ) {
    if segments.isEmpty { return }
    begin(kind, in: &record)
    open?.segments += segments
  }

  /// Adds a call to the open entry where it holds calls, else to a new entry.
  mutating func add(_ call: Entry.ToolCall, in record: inout RecordReader) {
    begin(.toolCalls, in: &record)
    open?.toolCalls.append(call)
  }

  /// Opens an entry unless one of the kind is open. Attachments that are read afterwards belong to it.
  mutating func begin(_ kind: Entry.Kind, in record: inout RecordReader) {
    if open?.kind == kind { return }
    close(in: &record)
    open = Entry(kind, created: nil)
  }

  /// Sets the signature of the open entry.
  mutating func sign(_ signature: String) { open?.signature = signature }

  /// Sets the author of all entries.
  mutating func sign(author: String) {
    for index in entries.indices { entries[index].entry.author = author }
  }

  /// Hides the open entry from the person, because it is for the model alone.
  mutating func hideLast() { open?.visibility = .model }

  /// Adds a complete entry. Attachments that were read since the last entry belong to it.
  mutating func add(_ entry: Entry, in record: inout RecordReader) {
    entries.append(record.finish(entry))
  }

  /// Adds entries that another reader made.
  mutating func add(_ others: [SourceEntry]) { entries += others }

  /// Ends the open entry. Attachments that are read afterwards belong to the next one.
  mutating func close(in record: inout RecordReader) {
    if let open { entries.append(record.finish(open)) }
    open = nil
  }

  /// Inserts an entry before all others.
  mutating func precede(with entry: Entry) { entries.insert(SourceEntry(entry), at: 0) }

  /// Sets the time of all entries, and keys that are derived from the record's id.
  mutating func stamp(_ created: Date?, key: String?) {
    for index in entries.indices {
      entries[index].entry.created = created
      entries[index].entry.key = key.map { index == 0 ? $0 : "\($0)#\(index + 1)" }
    }
  }

  /// Sets the model of the entries that the model wrote, and the usage of the last one.
  mutating func complete(model: String?, usage: Usage?) {
    let written = entries.indices.filter {
      [.reasoning, .response, .toolCalls].contains(entries[$0].entry.kind)
    }
    for index in written { entries[index].entry.model = model }
    if let last = written.last { entries[last].entry.usage = usage }
  }

  /// Keeps with the first entry the details that no entry has a field for.
  mutating func keep(_ details: ForeignDetails, format: String) {
    guard !entries.isEmpty, !details.members.isEmpty else { return }
    var all = ForeignDetails(of: entries[0].entry, format: format)
    all.add(details.members.map { ($0.key, $0.value) })
    entries[0].entry.metadata = all.metadata(format: format)
  }

  /// Replaces all entries with the opaque entry of a record that is too large.
  mutating func replace(with entry: SourceEntry) { entries = [entry] }

  /// Replaces all entries with others.
  mutating func replace(with others: [SourceEntry]) { entries = others }
}
