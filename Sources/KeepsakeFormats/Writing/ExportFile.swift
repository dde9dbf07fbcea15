import KeepsakeFiles
import Keepsake

/// A file that is being exported, with the folder of artifacts beside it: both are seen when all of both is there.
///
/// Let go of before it was finished, it leaves nothing behind.
final class ExportFile: Sendable {
  private let file: NewFile
  private let artifacts: ArtifactFolder?

  /// - Parameters:
  ///   - name: What it is called.
  ///   - folder: Where it stands.
  ///   - artifacts: What becomes of the bytes of attachments.
  ///   - mayReplace: Whether a file of that name, and the folder of an earlier export beside it, are replaced.
  ///   - session: One of those that are exported; its store tells an earlier export's files from others.
  init(
    _ name: String, in folder: Directory, artifacts: ExportOptions.Artifacts?,
    replacing mayReplace: Bool, of session: Session
  ) throws(FileError) {
    try Self.requireFree(name, in: folder, artifacts: artifacts, replacing: mayReplace)
    file = try NewFile(name, in: folder, replacing: mayReplace)
    self.artifacts =
      artifacts == .files
      ? ArtifactFolder(
        ArtifactFolder.name(beside: name), in: folder, replacing: mayReplace,
        unlessKept: { try session.storeHolds($0) }) : nil
  }

  /// What a codec writes into.
  var output: ExportOutput {
    let file = file
    var output = ExportOutput { bytes in
      try Task.checkCancellation()
      try file.write(bytes)
    }
    if let artifacts {
      output.place = { artifact, name in try await artifacts.place(artifact, as: name) }
    }
    return output
  }

  /// How many artifacts stand beside it.
  var artifactCount: Int { artifacts?.count ?? 0 }

  /// Puts it in its place, durably: the folder first, so that nobody sees a file that names what is not there yet.
  func finish() throws {
    try Task.checkCancellation()
    try artifacts?.place()
    try file.finish()
    try artifacts?.settle()
  }

  /// A folder that is exported to, without what earlier exports left there when their process ended.
  static func cleared(_ folder: Directory) -> Directory {
    // Should it not go, that is no reason to write nothing.
    _ = try? folder.removeAbandoned()
    return folder
  }

  /// Throws where it would be in the way of something that may not be replaced.
  static func requireFree(
    _ name: String, in folder: Directory, artifacts: ExportOptions.Artifacts?,
    replacing mayReplace: Bool
  ) throws(FileError) {
    try NewFile.requireFree(name, in: folder, replacing: mayReplace)
    guard artifacts == .files else { return }
    try NewFolder.requireFree(
      ArtifactFolder.name(beside: name), in: folder, replacing: mayReplace)
  }
}
