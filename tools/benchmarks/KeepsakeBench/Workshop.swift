import Foundation
import Keepsake
import KeepsakeBenchReport
import KeepsakeYardstick

/// Where it is measured: a folder that is removed afterwards, and how thorough it is to be.
final class Workshop {
  let folder: URL
  let isQuick: Bool
  /// The keepsake command, where it is to be measured.
  let command: String?
  var material = Material()
  private var made = 0

  init(in parent: URL, isQuick: Bool, command: String? = nil) throws {
    self.isQuick = isQuick
    self.command = command
    folder = parent.appending(path: "bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  func remove() throws { try FileManager.default.removeItem(at: folder) }

  /// How many rounds: the medians are over these.
  var rounds: Int { isQuick ? 7 : 15 }

  func place(_ name: String) -> URL {
    made += 1
    return folder.appending(path: "\(made)-\(name)")
  }

  /// Makes fresh stores of both kinds for a measure, and removes them afterwards.
  func withStores<Result>(
    _ body: (_ keepsake: Store, _ plain: PlainStore) async throws -> Result
  ) async throws -> Result {
    let plainFolder = place("plain")
    let plain = try PlainStore(making: plainFolder)
    let result = try await withStore { try await body($0, plain) }
    try FileManager.default.removeItem(at: plainFolder)
    return result
  }

  func withStore<Result>(
    options: Store.Options = .init(), _ body: (Store) async throws -> Result
  ) async throws -> Result {
    let place = place("store.keepsake")
    let store = try await Store(at: place, options: options)
    let result = try await body(store)
    await store.close()
    try FileManager.default.removeItem(at: place)
    return result
  }

  /// The least that anything durable costs here: 16 KiB written over a file's beginning.
  func floor(_ count: Int) async throws -> [Double] {
    let place = place("floor")
    let file = yardstick_scratch(place.path, 64 << 10)
    let bytes = [UInt8](repeating: 7, count: 16 << 10)
    let samples = await microseconds(of: count) { _ in
      yardstick_overwrite(file, bytes, Int32(bytes.count))
    }
    yardstick_close_scratch(file)
    try FileManager.default.removeItem(at: place)
    return samples
  }

  /// SHA-256 over memory, in MB a second.
  func digestSpeed(_ bytes: [UInt8], times: Int = 3) async -> Double {
    var digest = [UInt8](repeating: 0, count: 32)
    let samples = await microseconds(of: times) { _ in
      yardstick_hash(bytes, bytes.count, &digest)
    }
    return Double(bytes.count) / samples.median
  }
}
