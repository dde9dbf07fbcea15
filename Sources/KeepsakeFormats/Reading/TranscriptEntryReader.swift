#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Reads an entry of a transcript that has the structure of Apple's: an entry has segments, calls and other members.
///
/// Members that Keepsake has no field for go into the entry's metadata. An entry that can't be understood, or is too
/// large, is kept whole.
protocol TranscriptEntryReader: EntryReading {
  var record: RecordReader { get set }
  var details: ForeignDetails { get set }
  var bytes: [UInt8] { get }

  /// Reads an entry; throws if it is not as the format has it.
  mutating func understood(_ range: Range<Int>, created: Date?) throws(RecordReader.Unreadable)
    -> Entry

  /// Names an entry that is kept whole, and gives it the id and the key that it has, if they can be read.
  func identifyWhole(_ entry: inout Entry, _ object: JSONObject)

  /// Reads a segment.
  /// - Parameters:
  ///   - range: The range of the segment's value.
  ///   - number: The number of the segment in its entry, from 1.
  ///   - maker: The maker of an attachment.
  ///   - rest: Takes the members that Keepsake has no field for.
  mutating func segment(
    _ range: Range<Int>, number: Int, madeBy maker: Entry.MadeBy, rest: inout [(String, JSON)]
  ) -> Entry.Segment
}

extension TranscriptEntryReader {
  mutating func entry(_ range: Range<Int>, created: Date?) -> SourceEntry {
    var entry: Entry
    do throws(RecordReader.Unreadable) {
      entry = try understood(range, created: created)
      guard record.fits(range) else {
        throw RecordReader.Unreadable(reason: "it is too large for an entry")
      }
    } catch {
      entry = whole(range, created: created, because: error)
    }
    entry.metadata = details.metadata(format: Self.format)
    return SourceEntry(entry, attaching: record.attachments)
  }

  func identifyWhole(_ entry: inout Entry, _ object: JSONObject) {}

  /// Keeps an entry as opaque because it could not be understood.
  private mutating func whole(
    _ range: Range<Int>, created: Date?, because error: RecordReader.Unreadable
  ) -> Entry {
    record.reset()
    details = ForeignDetails()
    var entry = Entry(.unknown, created: created)
    if let object = JSONObject(range, in: bytes) { identifyWhole(&entry, object) }
    let name = entry.key.map { "The entry '\($0)'" } ?? "An entry"
    record.remark("\(name) is kept as it is, and not understood: \(error.reason).")
    entry.segments = [Entry.Segment(record.opaque(range, type: "entry"))]
    return entry
  }

  /// Reads the segments of an entry.
  /// - Parameters:
  ///   - object: The object that has the segments.
  ///   - key: The name of the array of segments.
  ///   - maker: The maker of attachments.
  mutating func segments(of object: JSONObject, in key: String, madeBy maker: Entry.MadeBy)
    throws(RecordReader.Unreadable) -> [Entry.Segment]
  {
    guard let elements = object.elements(key) else {
      throw .init(reason: "its '\(key)' are no array")
    }
    var segments: [Entry.Segment] = []
    var others: [Int: [(String, JSON)]] = [:]
    for (index, element) in elements.enumerated() {
      var rest: [(String, JSON)] = []
      segments.append(segment(element, number: index + 1, madeBy: maker, rest: &rest))
      if !rest.isEmpty { others[index] = rest }
    }
    details.add(key, others)
    return segments
  }

  /// Makes an output of a tool, whose attachments are made by the call that it answers.
  mutating func output(
    of object: JSONObject, answering call: String?, segmentsIn key: String, created: Date?
  ) throws(RecordReader.Unreadable) -> Entry {
    let tool = object.string("toolName")
    let maker: Entry.MadeBy =
      call.map { .toolCall(Entry.ToolCall(id: $0, tool: tool ?? "")) } ?? .source
    var entry = Entry.toolOutput(
      callID: call, tool: tool, segments: try segments(of: object, in: key, madeBy: maker))
    entry.created = created
    return entry
  }
}
