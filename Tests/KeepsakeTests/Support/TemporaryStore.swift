import Keepsake
import KeepsakeTestSupport

/// Makes a store in the temporary folder and removes it afterwards, whatever happens.
func withTemporaryStore<Result>(
  options: Store.Options = .init(), _ body: (Store) async throws -> Result
) async throws -> Result {
  try await Slots.shared.run {
    let store = try await Store.temporary(options: options)
    do {
      let result = try await body(store)
      try await store.removeTemporary()
      return result
    } catch {
      try await store.removeTemporary()
      throw error
    }
  }
}

extension Store.Options {
  /// For tests of large texts, which would take longer to be indexed beside than all else in them.
  static var withoutIndexing: Store.Options {
    var options = Store.Options()
    options.searchDelay = nil
    return options
  }
}
