import KeepsakeFiles

/// Prepares many entries on the caller's thread while the writer's thread already writes the first of them.
///
/// Encoding and hashing an entry takes about half as long as writing its row. Without the second thread, appending a list of
/// 1,000 entries takes a sixth longer on busy processors, and more on idle ones.
final class AppendLine: Sendable {
  private static let chunk = 64
  /// The least number of entries for which a second thread saves time.
  static let worthwhile = 2 * chunk

  private let entries: [Entry]
  private let ready: Monitor<[Result<[PreparedAppend], any Error>]>
  /// About how many bytes the entries add to a transaction, estimated from the first chunk.
  let size: Int

  /// Creates a line of entries and prepares the first chunk.
  init(_ entries: [Entry]) throws {
    self.entries = entries
    let first = try Self.prepare(entries.prefix(Self.chunk))
    size = first.reduce(0) { $0 + $1.size } * entries.count / first.count
    ready = Monitor([.success(first)])
  }

  var count: Int { entries.count }

  /// Prepares the other chunks, and stops after the first that fails.
  func prepare() {
    for start in stride(from: Self.chunk, to: entries.count, by: Self.chunk) {
      let chunk = Result {
        try Self.prepare(entries[start..<min(start + Self.chunk, entries.count)])
      }
      ready.withLock { $0.append(chunk) }
      ready.signal()
      if case .failure = chunk { return }
    }
  }

  /// Waits for a chunk of prepared entries; nil after the last. Throws the error of a chunk that could not be prepared.
  func chunk(_ number: Int) throws -> [PreparedAppend]? {
    guard number * Self.chunk < entries.count else { return nil }
    let chunk = ready.wait { number < $0.count ? $0[number] : nil }
    return try chunk?.get()
  }

  private static func prepare(_ entries: ArraySlice<Entry>) throws -> [PreparedAppend] {
    try entries.map { try PreparedAppend($0) }
  }
}
