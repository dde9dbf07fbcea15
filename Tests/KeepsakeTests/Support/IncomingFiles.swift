import Foundation

@testable import Keepsake

/// Files that are being taken in to a store; not its sign of life.
func incoming(in store: URL) throws -> [String] {
  try FileManager.default.contentsOfDirectory(atPath: store.appending(path: "incoming").path)
    .filter { !$0.hasPrefix(StoreInstance.namePrefix) }
}
