import KeepsakeFiles
import Keepsake

/// The state of a stream to which records are added: the ids of its records, and its last bytes.
struct KnownStream {
  /// The stored state that this value describes; nil where the stream is not stored.
  var state: StoredStream.State?
  private(set) var size: Int64
  private var ids = KnownIDs()
  /// The stream's last bytes; all of its bytes directly after reading it.
  private var end: [UInt8]

  /// The number of last bytes that are kept, which covers what a comparison with a stored beginning reads.
  private static let endSize = 8192

  init(_ stored: StoredStream?, in store: Store) throws {
    state = stored?.state
    end = try stored.map { try AgentStreams.bytes(of: $0, in: store) } ?? []
    size = Int64(end.count)
    for line in AgentStreams.lines(of: end) {
      let line = Array(line)
      if let id = JSONObject(0..<line.count, in: line)?.string("uuid") { _ = ids.insert(id) }
    }
  }

  /// The records that are new, as lines, and the first record that is missing before them.
  struct New {
    var bytes: [UInt8] = []
    var count = 0
    var missing: String?
  }

  /// Adds records to the known ones, and returns those that are new.
  mutating func add(_ records: [[UInt8]]) throws -> New {
    var new = New()
    var parents: [String] = []
    for (index, record) in records.enumerated() {
      guard let object = HeldLines.isJSON(record) ? JSONObject(0..<record.count, in: record) : nil
      else {
        throw FormatError(
          .malformed, "Can't add entry \(index + 1): it is no JSON object. Nothing was added.")
      }
      if let id = object.string("uuid"), !ids.insert(id) { continue }
      if let parent = object.string("parentUuid") { parents.append(parent) }
      // A file that an agent wrote may end in the middle of a line, which is kept.
      if new.bytes.isEmpty, let last = end.last, last != 0x0A { new.bytes.append(0x0A) }
      new.bytes += record
      new.bytes.append(0x0A)
      new.count += 1
    }
    new.missing = parents.first { !ids.contains($0) }
    return new
  }

  /// The stored bytes of the stream followed by new ones.
  /// - Parameters:
  ///   - new: The new bytes.
  ///   - load: Reads all stored bytes.
  func joined(with new: [UInt8], load: @escaping @Sendable () throws -> [UInt8]) -> JoinedBytes {
    JoinedBytes(size: size, end: end, new: new, load: load)
  }

  /// Notes that bytes were stored.
  mutating func follow(_ new: [UInt8]) {
    size += Int64(new.count)
    end = Array((end.suffix(Self.endSize) + new).suffix(Self.endSize))
  }
}
