#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension StoreHandle {
  /// Takes over what is new of a session at the hub of a shared store, and of the sessions that it shares entries with. Any other
  /// store has all that there is.
  func refresh(_ session: UUID) async throws {
    guard let sharing = store.sharing else { return }
    try await sharing.catchUp(session)
    try await sharing.takeOverOrigins(of: session)
  }

  /// Takes over all that is new at the hub of a shared store.
  func refreshAll() async throws { try await store.sharing?.catchUp() }

  /// Throws if a store was opened without the hub whose sessions it shares.
  func requireHub() throws {
    guard store.sharing == nil, database.isWritable,
      try read({ try $0.joined.way() }) == .shared
    else { return }
    throw KeepsakeError.sharedElsewhere(layout.path)
  }

  /// Throws if the store shares the sessions of a hub, which then does not offer something.
  ///
  /// The check reads nothing from the database. For a store that was opened without its hub it is certain only in a write
  /// transaction.
  /// - Parameter what: The thing that is not offered, as the beginning of a sentence.
  func refuseIfShared(_ what: String) throws {
    guard store.sharing != nil || database.isShared else { return }
    throw KeepsakeError.notShared(what, layout.path)
  }
}
