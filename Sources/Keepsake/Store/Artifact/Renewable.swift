/// A prepared write that may name artifacts which the store had when it was prepared.
protocol Renewable: Sendable {
  /// Returns a copy in which the bytes that the store had are taken in again.
  func renewed(_ handle: StoreHandle) async throws -> Self
}

extension Array: Renewable where Element: Renewable {
  func renewed(_ handle: StoreHandle) async throws -> [Element] {
    var renewed: [Element] = []
    renewed.reserveCapacity(count)
    for element in self { renewed.append(try await element.renewed(handle)) }
    return renewed
  }
}

extension StoreHandle {
  /// Writes a prepared value in the writer's next transaction; the closure may run more than once.
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
