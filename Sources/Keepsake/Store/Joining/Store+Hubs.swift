#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Looking after a hub, which takes no store.
extension Store {
  /// Returns sentences that tell a person what survives once a hub has taken it.
  ///
  /// - Parameter address: The place of the hub.
  /// - Throws: A ``KeepsakeError`` if the hub can't be reached.
  @concurrent
  public static func assurances(ofHubAt address: HubAddress) async throws -> [String] {
    try await using(address) { try await $0.assurances() }
  }

  /// Reads all that a hub has, and tells what is wrong with it. Nothing is written, unless the lists are to be mended.
  ///
  /// Stores may sync and share sessions meanwhile. Each store has a copy of its own, so that nothing is lost with a damaged hub but what
  /// no store has.
  /// - Parameters:
  ///   - address: The place of the hub.
  ///   - readingData: Whether the bytes of each artifact are read, too, and compared with its name.
  ///   - mendingLists: Whether the hub's lists are corrected from the versions of its sessions. The report still tells which entries were
  ///     wrong, and another check finds them right.
  ///   - progress: A closure that gets how many sessions and artifacts were looked at, of how many.
  /// - Throws: A ``KeepsakeError`` if the hub can't be reached.
  @concurrent
  public static func checkHub(
    at address: HubAddress, readingData: Bool = false, mendingLists: Bool = false,
    progress: (@Sendable (Int, Int) -> Void)? = nil
  ) async throws -> HubReport {
    try await using(address) { hub in
      let survey = try await HubSurvey(
        of: hub, comparing: HubLists(isMending: mendingLists), progress: progress)
      let artifacts = try await hub.allArtifacts()
      var report = HubReport(hub: hub.identity.id)
      report.sessions = survey.newest.count - survey.deleted.count
      report.deleted = survey.deleted.count
      report.versions = survey.versions
      report.artifacts = artifacts.count
      report.artifactBytes = artifacts.reduce(0) { $0 + $1.size }
      let unused = artifacts.filter { !survey.named.contains($0.id) }
      report.unused = unused.count
      report.unusedBytes = unused.reduce(0) { $0 + $1.size }
      report.add(survey)
      for id in try await hub.missing(of: survey.needed.keys.sorted()) {
        // The artifact may have been erased since the session was read.
        guard let session = survey.needed[id],
          try await SurveyedSession.needed(by: session, of: hub).contains(id)
        else { continue }
        report.add(lacking: id, survey, "are not there")
      }
      if readingData {
        let start = survey.newest.count
        let altered = try await hub.altered(among: artifacts) {
          progress?(start + $0, start + artifacts.count)
        }
        for id in altered { report.add(lacking: id, survey, "were altered") }
      }
      return report
    }
  }

  /// Removes from a hub what nothing needs: artifacts that no session names, files that were left unfinished, and what older versions
  /// still say of something that was erased or deleted since.
  ///
  /// A store removes most of that itself when it syncs. This finishes what one left that went away in the middle. Stores may sync meanwhile.
  /// Stores that share the hub's sessions and were not there for 30 days go off its list of stores: the folder of such a store is a cache,
  /// and may have gone with its machine.
  /// - Parameters:
  ///   - address: The place of the hub.
  ///   - age: The age of the youngest artifacts and uploads that go. A store puts artifacts before it tells of what needs them.
  ///   - isPreview: Whether this only tells what would be removed.
  ///   - progress: A closure that gets how many sessions were read, of how many.
  /// - Throws: A ``KeepsakeError``: the hub can't be reached, or a session can't be read, so that nobody knows what it needs.
  @concurrent @discardableResult
  public static func sweepHub(
    at address: HubAddress, olderThan age: Duration = .seconds(86_400), isPreview: Bool = false,
    progress: (@Sendable (Int, Int) -> Void)? = nil
  ) async throws -> HubSwept {
    try await using(address) { hub in
      let survey = try await HubSurvey(of: hub, progress: progress)
      if let (session, reason) = survey.faults.min(by: { $0.key.uuidString < $1.key.uuidString }) {
        throw KeepsakeError(
          .damaged,
          "Can't sweep the hub at '\(address)': nobody knows what session \(session.text) needs. \(reason)",
          object: session.uuidString)
      }
      let unused = try await hub.allArtifacts().filter {
        $0.age >= age && !survey.named.contains($0.id)
      }
      var swept = HubSwept()
      swept.sessions = survey.unfinished.count
      let gone = try await hub.notes(.peer).filter {
        $0.age >= .seconds(30 * 86_400) && PeerNote(text: $0.text)?.isShared == true
      }
      swept.stores = gone.count
      let left = try await hub.leftovers(olderThan: age, removing: !isPreview)
      (swept.files, swept.fileBytes) = (left.count, left.bytes)
      if isPreview {
        swept.add(unused)
        return swept
      }
      for (session, version) in survey.unfinished {
        try await hub.eraseVersions(of: session, before: version)
      }
      if !survey.unfinished.isEmpty {
        // The store that erased something, and was interrupted, may have left no erasing note.
        try await hub.leave(HubNote.erased, as: .erasing, UUID())
      }
      try await hub.removeNotes(.peer, gone.map(\.id))
      let some = 1000
      for start in stride(from: 0, to: unused.count, by: some) {
        try Task.checkCancellation()
        let part = unused[start..<min(unused.count, start + some)]
        let ids = part.map(\.id)
        let kept = Locked<Set<Artifact.ID>>([])
        try await hub.remove(ids) {
          let named = try await hub.artifactsNamed(among: ids, beyond: survey.newest)
          kept.withLock { $0 = named }
          return named
        }
        let stayed = kept.withLock { $0 }
        swept.add(part.filter { !stayed.contains($0.id) })
      }
      return swept
    }
  }

  /// Puts artifacts at a hub again whose bytes it has lost, where this store has them.
  ///
  /// - Parameters:
  ///   - artifacts: The artifacts, as ``HubReport/lacking`` names them.
  ///   - address: The place of the hub.
  /// - Returns: The artifacts that the hub has now.
  @concurrent
  public func putAgain(_ artifacts: [Artifact.ID], at address: HubAddress) async throws
    -> [Artifact.ID]
  {
    try await Self.using(address) { hub in
      var put: Set<Artifact.ID> = []
      let here = try artifacts.filter {
        if case .right = try handle.artifacts.holding($0.digest) { true } else { false }
      }
      try await handle.put(here, at: hub) { put.insert($0.id) }
      return artifacts.filter(put.contains)
    }
  }

  /// Upgrades a hub that an earlier version of Keepsake made to the format of this version.
  ///
  /// Earlier versions can't open an upgraded hub. Stop the programs that use the hub with an earlier version before the upgrade.
  /// - Parameters:
  ///   - address: The place of the hub.
  ///   - progress: A closure that gets how many sessions were read, of how many.
  /// - Returns: Whether the hub was upgraded; false if it had the format of this version.
  /// - Throws: A ``KeepsakeError`` if the hub can't be reached, or its owner has to upgrade it.
  @concurrent @discardableResult
  public static func upgradeHub(
    at address: HubAddress, progress: (@Sendable (Int, Int) -> Void)? = nil
  ) async throws -> Bool {
    try await using(address, .init(mayUpgrade: true)) { hub in
      guard hub.isOutdated else { return false }
      _ = try await HubSurvey(of: hub, comparing: HubLists(isMending: true), progress: progress)
      try await hub.finishUpgrade()
      return true
    }
  }

  /// Runs a body with the hub at an address, and closes the hub.
  package static func using<Result: Sendable>(
    _ address: HubAddress, _ opening: HubAddress.Opening = .init(),
    _ body: (any Hub) async throws -> Result
  ) async throws -> Result {
    let hub = try await address.open(opening)
    do {
      let result = try await body(hub)
      await hub.close()
      return result
    } catch {
      await hub.close()
      throw error
    }
  }
}

extension Hub {
  /// Returns all artifacts, in the order of their names.
  fileprivate func allArtifacts() async throws -> [HubArtifact] {
    var all: [HubArtifact] = []
    while true {
      try Task.checkCancellation()
      let some = try await artifacts(after: all.last?.id)
      if some.isEmpty { return all }
      all += some
    }
  }

  /// Reads the bytes of artifacts, and returns the artifacts whose bytes don't have their name, in the order of the names.
  /// - Parameters:
  ///   - artifacts: The artifacts.
  ///   - progress: A closure that gets how many artifacts were read.
  fileprivate func altered(among artifacts: [HubArtifact], progress: (Int) -> Void) async throws
    -> [Artifact.ID]
  {
    var altered: [Artifact.ID] = []
    var count = 0
    try await Abreast.forEachArtifact(artifacts, size: \.size) { artifact in
      do {
        try await get(artifact.id) { _ in }
        return true
      } catch let error as KeepsakeError where error.isOfOneArtifact {
        // An artifact that was removed while the check ran is no damage.
        return error.code == .artifactMissing
      }
    } _: { artifact, isRight in
      if !isRight { altered.append(artifact.id) }
      count += 1
      progress(count)
    }
    return altered.sorted()
  }
}

extension KeepsakeError {
  /// Tells whether a hub's error is of one artifact, so that others can be read.
  fileprivate var isOfOneArtifact: Bool {
    code == .artifactMissing || code == .artifactDamaged
  }
}

extension HubSwept {
  fileprivate mutating func add(_ removed: some Collection<HubArtifact>) {
    artifacts += removed.count
    artifactBytes += removed.reduce(0) { $0 + $1.size }
  }
}

extension HubReport {
  fileprivate mutating func add(_ survey: HubSurvey) {
    var found: [UUID: VerifyReport.Finding] = [:]
    func find(
      _ severity: VerifyReport.Finding.Severity, _ session: UUID, _ what: String,
      _ action: KeepsakeError.Remedy
    ) {
      found[session] = .init(
        severity: severity, object: "session \(session.text)", what: what,
        action: action)
    }
    unlisted = (survey.lists?.wrong ?? []).sorted { $0.uuidString < $1.uuidString }
    for session in unlisted {
      find(.derived, session, "The hub's lists don't say of it what its versions say.", .listAgain)
    }
    for (session, version) in survey.unfinished {
      find(
        .harmless, session,
        "Versions before \(version) still say what was erased or deleted since.",
        .sweepHub)
    }
    for (session, origin) in survey.origins
    where !survey.deleted.contains(session) && survey.newest[origin] == nil
      && survey.faults[origin] == nil
    {
      find(
        .damaged, session,
        "It was forked from session \(origin.text), which the hub has not got.",
        .makeAnotherHub)
    }
    for (session, reason) in survey.faults { find(.damaged, session, reason, .makeAnotherHub) }
    findings += found.sorted { $0.key.uuidString < $1.key.uuidString }.map(\.value)
  }

  fileprivate mutating func add(lacking id: Artifact.ID, _ survey: HubSurvey, _ what: String) {
    let session = survey.needed[id].map {
      " Session \($0.text) needs them."
    }
    findings.append(
      .init(
        severity: session == nil ? .harmless : .damaged, object: "artifact \(id)",
        what: "Its bytes \(what).\(session ?? " Nothing needs them.")",
        action: session == nil ? .sweepHub : .putAgain))
    if session != nil { lacking.append(id) }
  }
}
