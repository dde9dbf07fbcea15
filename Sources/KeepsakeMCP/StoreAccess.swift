#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
package import Keepsake
import KeepsakeFiles

/// The way to the store, which is opened by the first call that needs it.
///
/// A store that can't be opened is tried again by the next call, and one that was moved away or replaced is looked for at its
/// path again: a server outlives the absence of its store, and never answers from one that is gone.
package final class StoreAccess: Sendable {
  private let opening: @Sendable () async throws -> Store
  private let opened = Locked<Store?>(nil)

  /// Creates a way to a store.
  ///
  /// - Parameter opening: Opens the store, or gives one that is open.
  package init(_ opening: @escaping @Sendable () async throws -> Store) {
    self.opening = opening
  }

  /// Runs a closure with the store.
  ///
  /// A store that was replaced since it was opened, or opened for writing while it was read without its log's index, is
  /// opened again once.
  func use<Result: Sendable>(
    _ body: @Sendable (Store) async throws -> Result
  ) async throws -> Result {
    let store = try await store()
    do { return try await body(store) } catch let error as KeepsakeError
      where error.code == .replaced || error.code == .closed || error.isOvertaken
    {
      opened.withLock { if $0 === store { $0 = nil } }
      return try await body(try await self.store())
    }
  }

  /// Closes the store, if it is open.
  package func close() async {
    await opened.withLock { $0.take() }?.close()
  }

  private func store() async throws -> Store {
    if let known = opened.withLock({ $0 }), known.isInPlace { return known }
    let store = try await opening()
    // Two calls may open the store at the same time; both handles lead to one open store, and one of them is enough. Calls
    // that use another one end with it.
    return opened.withLock { opened in
      if let first = opened, first.isInPlace { return first }
      opened = store
      return store
    }
  }
}
