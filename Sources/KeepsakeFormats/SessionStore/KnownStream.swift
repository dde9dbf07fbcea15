import KeepsakeFiles
import Keepsake

/// What is known of a stream that records are added to: which of them are there, and how it ends.
struct KnownStream {
  /// How it was stored when this was so; nil where it was not.
  var state: StoredStream.State?
  private(set) var size: Int64
  private var ids = KnownIDs()
  /// Its last bytes; all of them, when they were just read.
  private var end: [UInt8]

  /// What is looked at of a beginning, to see whether it is the same, and the break behind it.
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

  /// The records that are not there yet, as lines, and what is missing before them.
  struct New {
    var bytes: [UInt8] = []
    var count = 0
    var missing: String?
  }

  /// Notes records as known, and gives those that were not.
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
      // An agent's own file may end in the middle of a line, which is kept.
      if new.bytes.isEmpty, let last = end.last, last != 0x0A { new.bytes.append(0x0A) }
      new.bytes += record
      new.bytes.append(0x0A)
      new.count += 1
    }
    new.missing = parents.first { !ids.contains($0) }
    return new
  }

  /// All bytes with those that are to be added behind them.
  /// - Parameter load: Reads those that are stored.
  func joined(with new: [UInt8], load: @escaping @Sendable () throws -> [UInt8]) -> JoinedBytes {
    JoinedBytes(size: size, end: end, new: new, load: load)
  }

  /// Notes that bytes were added.
  mutating func follow(_ new: [UInt8]) {
    size += Int64(new.count)
    end = Array((end.suffix(Self.endSize) + new).suffix(Self.endSize))
  }
}

/// What is stored of a stream with what is new behind it. What is stored is read when it is asked for and not at hand.
final class JoinedBytes: Sendable {
  let size: Int64
  private let storedSize: Int64
  private let end: [UInt8]
  private let new: [UInt8]
  private let load: @Sendable () throws -> [UInt8]
  private let loaded = Locked<[UInt8]?>(nil)

  /// - Parameters:
  ///   - size: How many bytes are stored.
  ///   - end: The last of them.
  ///   - new: What follows them.
  ///   - load: Reads all that are stored.
  init(
    size: Int64, end: [UInt8], new: [UInt8], load: @escaping @Sendable () throws -> [UInt8]
  ) {
    storedSize = size
    self.size = size + Int64(new.count)
    self.end = end
    self.new = new
    self.load = load
  }

  func read(_ range: Range<Int64>) throws -> [UInt8] {
    var bytes: [UInt8] = []
    if range.lowerBound < storedSize {
      bytes = try stored(range.lowerBound..<min(range.upperBound, storedSize))
    }
    if range.upperBound > storedSize {
      let start = Int(max(0, range.lowerBound - storedSize))
      bytes += new[start..<Int(range.upperBound - storedSize)]
    }
    return bytes
  }

  private func stored(_ range: Range<Int64>) throws -> [UInt8] {
    let first = storedSize - Int64(end.count)
    if range.lowerBound >= first {
      return Array(end[Int(range.lowerBound - first)..<Int(range.upperBound - first)])
    }
    let all = try loaded.withLock { loaded in
      if let loaded { return loaded }
      let bytes = try load()
      // Somebody erased something of it since it was looked at.
      guard bytes.count == Int(storedSize) else { throw FormatError.changed("the transcript") }
      loaded = bytes
      return bytes
    }
    return Array(all[Int(range.lowerBound)..<Int(range.upperBound)])
  }
}
