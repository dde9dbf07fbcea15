import Keepsake
import TestSupport

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
