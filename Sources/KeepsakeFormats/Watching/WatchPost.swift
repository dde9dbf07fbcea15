#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
package import KeepsakeFiles
package import Keepsake

/// The files in a store's folder by which its only watch marks its presence and reports its state.
package struct WatchPost: Sendable {
  private let folder: String

  private static let lock = "watch.lock"
  private static let state = "watch.json"

  package init(_ store: Store) { folder = store.url.path }

  /// Takes the lock of the watch; nil where another watch holds it. The lock ends with the process, however that
  /// ends.
  package func take() throws -> FileLock? {
    let lock = try FileLock(path: "\(folder)/\(Self.lock)")
    return try lock.tryLock() ? lock : nil
  }

  /// Whether a watch holds the lock.
  package var isTaken: Bool {
    guard let lock = try? FileLock(existing: Self.lock, in: Directory(path: folder)) else {
      return false
    }
    guard (try? lock.tryLock(.shared)) == true else { return true }
    try? lock.unlock()
    return false
  }

  /// Writes the state of the watch; nothing is written where the disk is full.
  package func write(_ state: WatchState) throws {
    let encoder = JSONEncoder()
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let text = try Array(encoder.encode(state))
    do throws(FileError) {
      let file = try NewFile(
        Self.state, in: Directory(path: folder), replacing: true, mode: 0o600)
      try file.write(text)
      try file.finish()
    } catch {
      guard error.code == .noSpace else { throw error }
    }
  }

  /// The state that the last watch wrote; nil where there was none, or it can't be read.
  package func read() -> WatchState? {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    guard let directory = try? Directory(path: folder),
      let file = try? directory.openFile(Self.state), let status = try? file.status(),
      status.size < 1 << 20
    else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(status.size))
    guard let count = try? file.read(into: &bytes, at: 0) else { return nil }
    return try? decoder.decode(WatchState.self, from: Data(bytes[..<count]))
  }
}
