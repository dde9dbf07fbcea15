import KeepsakeFiles
import Foundation

@testable import Keepsake

/// Sessions that were read whole, to be taken into other stores as often as a test wants.
struct RecordedCopy: CopySource {
  let format = "recorded"
  private(set) var manifest = CopyManifest()
  private(set) var records: [CopyRecord] = []
  private var bytes: [Artifact.ID: [UInt8]] = [:]
  /// Told before each record how many were read; what it throws ends the reading.
  var watch: @Sendable (Int) throws -> Void = { _ in }

  init(of sessions: [Session]) throws {
    var manifest = CopyManifest()
    var records: [CopyRecord] = []
    let summary = try SessionCopy(of: sessions).read(
      begin: { told, _ in manifest = told }, take: { records.append($0) })
    self.manifest = manifest
    self.records = records
    for artifact in summary.artifacts {
      bytes[artifact.id] = try artifact.bytes(in: 0..<artifact.size)
    }
  }

  /// The same copy, whose reading somebody watches.
  func watched(_ watch: @escaping @Sendable (Int) throws -> Void) -> RecordedCopy {
    var copy = self
    copy.watch = watch
    return copy
  }

  func bytes(of artifact: Artifact.ID) -> ArtifactSource? { bytes[artifact].map { .bytes($0) } }

  func open() throws -> any CopyReading { Reading(copy: self) }

  private struct Reading: CopyReading {
    let copy: RecordedCopy
    var index = 0

    mutating func next() throws -> CopyRecord? {
      try copy.watch(index)
      defer { index += 1 }
      return index < copy.records.count ? copy.records[index] : nil
    }
  }
}

extension Store {
  /// Takes in a copy whose sessions were not imported from a foreign file.
  func restoring(_ source: any CopySource) async throws -> ImportReport {
    try await restoring(source) { _ in nil }
  }
}
