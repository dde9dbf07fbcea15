#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

extension Store {
  /// Removes what belongs to nothing: files that a crash left, unused artifacts, copies of artifacts that are gone,
  /// unfinished imports and restorings, and the rest of sessions whose deletion was interrupted.
  ///
  /// A sweep is safe beside any number of processes that write. It leaves alone what an open store in any process is
  /// still writing. It waits for backups and exports; if they take longer than the store's patience, it throws, and
  /// what it removed until then stays removed.
  ///
  /// Before a sweep removes anything, it checks that every artifact of the store is present. If one is missing, the
  /// sweep throws, because a file that seems to belong to nothing may be all that is left of something. The check costs
  /// a look at each artifact's file.
  ///
  /// - Parameters:
  ///   - age: The age below which things are left alone, unless the process that wrote them has ended.
  ///   - lost: Artifacts whose bytes are missing for good, and without which the sweep goes on. Their attachments stay,
  ///     and attaching the original bytes brings them back. The store's log names them.
  /// - Returns: The counts of what was removed.
  /// - Throws: ``KeepsakeError``: `damaged` if something is missing, `locked` if a backup or an export takes too long,
  ///   `invalid` if an artifact in `lost` is not missing.
  @concurrent @discardableResult
  public func sweep(
    olderThan age: Duration = .seconds(3600), givingUp lost: Set<Artifact.ID> = []
  ) async throws -> Removal {
    try handle.requireWriter()
    let sweep = Sweep(handle: handle, age: age, givingUp: lost)
    try sweep.requireWhole()
    var removed = try await handle.finishClearing()
    removed.add(try await sweep.removeUnusedArtifacts())
    let strays = try await handle.sweeping(patience: handle.options.patience) {
      var strays = try await sweep.removeOrphans()
      try sweep.removeLeftovers(countingIn: &strays)
      try sweep.removeCopies(countingIn: &strays)
      for note in try sweep.firstFiles() { try note.folder.unlink(note.name) }
      return strays
    }
    guard let strays else {
      throw KeepsakeError(
        .locked,
        "Gave up waiting to sweep the store at '\(handle.layout.path)': a backup or an export is under way. Try again when it is done.",
        object: handle.layout.path)
    }
    removed.add(strays)
    let isCut = try await handle.cutLog()
    removed.isComplete = removed.isComplete && isCut
    let result = removed
    try await handle.tidy { change in
      try change.log(
        .sweep,
        [
          ("artifacts", .number(Int64(result.artifacts))),
          ("files", .number(Int64(result.strayFiles))),
          ("bytes", .number(result.artifactBytes + result.strayBytes)),
        ]
          + (lost.isEmpty
            ? [] : [("gaveUp", .array(lost.sorted().map { .string($0.description) }))]))
    }
    return result
  }

  /// Tells what ``sweep(olderThan:givingUp:)`` would remove now. This changes nothing, and works on a store that is
  /// open for reading.
  ///
  /// Attachments of sessions that would go are not counted, nor the artifacts that only these attachments use. This
  /// throws `damaged` where the sweep would refuse.
  @concurrent
  public func sweepPreview(
    olderThan age: Duration = .seconds(3600), givingUp lost: Set<Artifact.ID> = []
  ) async throws -> Removal {
    let sweep = Sweep(handle: handle, age: age, givingUp: lost)
    try sweep.requireWhole()
    return try sweep.preview()
  }
}
