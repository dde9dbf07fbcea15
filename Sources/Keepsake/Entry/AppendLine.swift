import KeepsakeFiles

/// Many entries that are made ready on their caller's thread while the writer's thread already writes the first of them.
///
/// Encoding and hashing an entry takes about half as long as writing its row.
final class AppendLine: Sendable {
  private static let chunk = 64
  /// How many are worth a change of threads.
  static let worthwhile = 2 * chunk

  private let entries: [Entry]
  private let ready: Monitor<[Result<[PreparedAppend], any Error>]>
  /// About how much they add to a transaction.
  let size: Int

  /// Makes the first ones ready.
  init(_ entries: [Entry]) throws {
    self.entries = entries
    let first = try Self.prepare(entries.prefix(Self.chunk))
    size = first.reduce(0) { $0 + $1.size } * entries.count / first.count
    ready = Monitor([.success(first)])
  }

  var count: Int { entries.count }

  /// Makes the others ready, until one can't be.
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

  /// A chunk of them, once it is ready; nil behind the last. Throws why one of it could not be made ready.
  func chunk(_ number: Int) throws -> [PreparedAppend]? {
    guard number * Self.chunk < entries.count else { return nil }
    let chunk = ready.wait { number < $0.count ? $0[number] : nil }
    return try chunk?.get()
  }

  private static func prepare(_ entries: ArraySlice<Entry>) throws -> [PreparedAppend] {
    try entries.map { try PreparedAppend($0) }
  }
}
