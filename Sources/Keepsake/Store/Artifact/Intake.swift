/// The source of one attachment's bytes, and the prepared artifact after they were taken in.
struct Intake: Intaking {
  let source: ArtifactSource
  /// The prepared artifact; nil until the bytes were taken in.
  var artifact: PreparedArtifact?

  init(_ source: ArtifactSource) { self.source = source }

  mutating func forEachIntake(_ body: (inout Intake) -> Void) { body(&self) }
}

extension Array: Intaking where Element: Intaking {
  mutating func forEachIntake(_ body: (inout Intake) -> Void) {
    // By index, because the elements are changed in place.
    for index in indices { self[index].forEachIntake(body) }
  }

  var takenIn: [PreparedArtifact] { flatMap(\.takenIn) }

  // This takes in the bytes of all elements together; the array of merely renewable elements goes one by one.
  func renewed(_ handle: StoreHandle) async throws -> [Element] { try await takenInAgain(handle) }
}

extension StoreHandle {
  /// Takes in all bytes that were not yet taken in; after an error, nothing of them is left.
  ///
  /// - Parameters:
  ///   - prepared: The prepared write, whose intakes have artifacts afterwards.
  ///   - isCancellable: Whether the task's cancellation stops the intake.
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
