/// A prepared write whose bytes are taken in, all together, before the transaction.
protocol Intaking: Renewable {
  /// Passes each intake to a closure, in order.
  mutating func forEachIntake(_ body: (inout Intake) -> Void)
}

extension Intaking {
  var takenIn: [PreparedArtifact] {
    var taken: [PreparedArtifact] = []
    var intakes = self
    intakes.forEachIntake { if let artifact = $0.artifact { taken.append(artifact) } }
    return taken
  }

  func renewed(_ handle: StoreHandle) async throws -> Self { try await takenInAgain(handle) }

  /// Takes the bytes in again that the store no longer has.
  func takenInAgain(_ handle: StoreHandle) async throws -> Self {
    var renewed = self
    renewed.forEachIntake { if case .known? = $0.artifact?.content { $0.artifact = nil } }
    try await handle.takeIn(&renewed, isCancellable: false)
    return renewed
  }
}
