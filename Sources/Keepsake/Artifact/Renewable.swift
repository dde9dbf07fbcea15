/// What was made ready for a write, and may name artifacts that the store held then.
protocol Renewable: Sendable {
  /// The same, with those bytes taken in again that the store had when they were prepared.
  func renewed(_ core: StoreCore) async throws -> Self
}

extension Array: Renewable where Element: Renewable {
  func renewed(_ core: StoreCore) async throws -> [Element] {
    var renewed: [Element] = []
    renewed.reserveCapacity(count)
    for element in self { renewed.append(try await element.renewed(core)) }
    return renewed
  }
}

extension StoreCore {
  /// Writes what was prepared, in the writer's next transaction; it may run more than once.
  ///
  /// An artifact that the store held when it was prepared, and that somebody removed before the transaction, is taken
  /// in again. This ends, because bytes that are taken in are there, on the disk, until the transaction has them.
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
