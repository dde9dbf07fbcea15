/// The bytes of one attachment: where they come from, and what they are once they were taken in.
struct Intake: Intaking {
  let source: ArtifactSource
  /// nil until they were taken in.
  fileprivate(set) var artifact: PreparedArtifact?

  init(_ source: ArtifactSource) { self.source = source }

  mutating func forEachIntake(_ body: (inout Intake) -> Void) { body(&self) }
}

/// What is made ready for a write, with bytes in it that are taken in before: those of all of it together.
protocol Intaking: Renewable {
  /// Hands over each of its intakes, in order.
  mutating func forEachIntake(_ body: (inout Intake) -> Void)
}

extension Intaking {
  func renewed(_ core: StoreCore) async throws -> Self { try await takenInAgain(core) }

  fileprivate func takenInAgain(_ core: StoreCore) async throws -> Self {
    var renewed = self
    renewed.forEachIntake { if case .known? = $0.artifact?.content { $0.artifact = nil } }
    try await core.takeIn(&renewed, isCancellable: false)
    return renewed
  }
}

extension Array: Intaking where Element: Intaking {
  mutating func forEachIntake(_ body: (inout Intake) -> Void) {
    // By index: an element is changed where it stands.
    for index in indices { self[index].forEachIntake(body) }
  }

  // All elements' together, where those of an array that is only renewable come one by one.
  func renewed(_ core: StoreCore) async throws -> [Element] { try await takenInAgain(core) }
}

extension StoreCore {
  /// Takes in what was not yet: all of it, or, on an error, nothing is left of it.
  /// - Parameters:
  ///   - prepared: What needs it; its intakes have their artifacts afterwards.
  ///   - isCancellable: Whether the caller's cancellation stops it.
  func takeIn<Prepared: Intaking>(_ prepared: inout Prepared, isCancellable: Bool = true)
    async throws
  {
    var first: ArtifactSource?
    var rest: [ArtifactSource] = []
    prepared.forEachIntake { intake in
      guard intake.artifact == nil else { return }
      if first == nil { first = intake.source } else { rest.append(intake.source) }
    }
    guard let first else { return }
    if rest.isEmpty {
      let artifact = try await artifacts.prepare(first)
      prepared.forEachIntake { if $0.artifact == nil { $0.artifact = artifact } }
    } else {
      var taken = try await artifacts.prepare([first] + rest, isCancellable: isCancellable)[...]
      prepared.forEachIntake { if $0.artifact == nil { $0.artifact = taken.popFirst() } }
    }
  }
}
