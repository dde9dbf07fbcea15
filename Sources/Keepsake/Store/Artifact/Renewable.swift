#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A prepared write that may name artifacts which the store had when it was prepared.
protocol Renewable: Sendable {
  /// The artifacts whose bytes were taken in.
  var takenIn: [PreparedArtifact] { get }

  /// Returns a copy in which the bytes that the store had are taken in again.
  func renewed(_ handle: StoreHandle) async throws -> Self
}

extension Array: Renewable where Element: Renewable {
  var takenIn: [PreparedArtifact] { flatMap(\.takenIn) }

  func renewed(_ handle: StoreHandle) async throws -> [Element] {
    var renewed: [Element] = []
    renewed.reserveCapacity(count)
    for element in self { renewed.append(try await element.renewed(handle)) }
    return renewed
  }
}

extension StoreHandle {
  /// Records a prepared value in a session as ``write(in:and:bytes:isCancellable:meanwhile:_:)`` does.
  ///
  /// In a shared store its artifacts are at the hub before the closure runs.
  func write<Prepared: Renewable, Result: Sendable>(
    _ prepared: Prepared, in session: UUID, bytes: Int = 0, isCancellable: Bool = true,
    _ body: @escaping @Sendable (Prepared, Change) throws -> Result
  ) async throws -> Result {
    var prepared = prepared
    while true {
      do {
        if let sharing = store.sharing {
          prepared = try await sharing.put(prepared, isCancellable: isCancellable)
        }
        let now = prepared
        return try await write(in: session, bytes: bytes, isCancellable: isCancellable) {
          try body(now, $0)
        }
      } catch let error as KeepsakeError where error.cause is ArtifactVanished {
        prepared = try await prepared.renewed(self)
      }
    }
  }

  /// Writes a prepared value in this store's next transaction; the closure may run more than once.
  ///
  /// If another process has removed an artifact that the store had, its bytes are taken in again. This ends, because bytes that
  /// were taken in stay on the disk until the transaction has them.
  func write<Prepared: Renewable, Result: Sendable>(
    _ prepared: Prepared, bytes: Int = 0, isCancellable: Bool = true,
    _ body: @escaping @Sendable (Prepared, Change) throws -> Result
  ) async throws -> Result {
    var prepared = prepared
    while true {
      do {
        let now = prepared
        let run: @Sendable (Change) throws -> Result = { try body(now, $0) }
        return isCancellable
          ? try await write(bytes: bytes, run) : try await writeUncancelled(bytes: bytes, run)
      } catch let error as KeepsakeError where error.cause is ArtifactVanished {
        prepared = try await prepared.renewed(self)
      }
    }
  }
}
