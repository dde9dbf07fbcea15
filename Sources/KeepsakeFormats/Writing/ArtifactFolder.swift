import KeepsakeFiles
import Keepsake

/// The folder of artifacts beside an exported file, which holds each artifact once and is made with the first of
/// them.
final class ArtifactFolder: Sendable {
  private let name: String
  private let directory: Directory
  private let mayReplace: Bool
  private let isKept: @Sendable (Artifact.ID) throws -> Bool
  private let state = Locked(State())

  private struct State: Sendable {
    var folder: NewFolder?
    /// The path from the exported file to each artifact.
    var paths: [Artifact.ID: String] = [:]
    var names = UnusedNames()
  }

  /// - Parameters:
  ///   - name: The name of the folder.
  ///   - directory: The folder that it stands in.
  ///   - mayReplace: Whether the folder of an earlier export is replaced.
  ///   - isKept: Whether the store has the bytes of an artifact, so that a file with these bytes may be replaced.
  init(
    _ name: String, in directory: Directory, replacing mayReplace: Bool,
    unlessKept isKept: @escaping @Sendable (Artifact.ID) throws -> Bool
  ) {
    self.name = name
    self.directory = directory
    self.mayReplace = mayReplace
    self.isKept = isKept
  }

  /// The name of the folder beside a file: `chat.artifacts` beside `chat.md`.
  static func name(beside file: String) -> String {
    UnusedNames.parts(of: file).stem + ".artifacts"
  }

  /// The number of artifacts in the folder.
  var count: Int { state.withLock { $0.paths.count } }

  /// Writes an artifact into the folder, unless it is there. Its bytes are checked on the way.
  /// - Parameters:
  ///   - artifact: The artifact.
  ///   - name: The wanted file name, which is a plain component of a path.
  /// - Returns: The path from the exported file to the artifact, percent-encoded as in a URL.
  func place(_ artifact: Artifact, as name: String) async throws -> String {
    if let known = state.withLock({ $0.paths[artifact.id] }) { return known }
    let folder = try begun()
    let name = state.withLock { $0.names.take(name) }
    do {
      let file = try folder.openFile(name, for: .creating(exclusive: true), mode: 0o666)
      for try await piece in artifact.chunks() {
        try Task.checkCancellation()
        try file.write(all: piece)
      }
      try file.sync()
    }
    let path = "\(URLPath.encoded(self.name))/\(URLPath.encoded(name))"
    state.withLock { $0.paths[artifact.id] = path }
    return path
  }

  /// Puts the folder in its place. The folder that it replaces is kept until `settle()` is called.
  func place() throws {
    guard let folder = state.withLock({ $0.folder }) else { return }
    try requireReplaceable()
    try folder.place()
  }

  /// Makes the folder permanent, and removes the one that it replaced.
  func settle() throws(FileError) { try state.withLock { $0.folder }?.settle() }

  private func begun() throws(FileError) -> Directory {
    if let folder = state.withLock({ $0.folder }) { return folder.folder }
    let folder = try NewFolder(name, in: directory, replacing: mayReplace)
    state.withLock { $0.folder = folder }
    return folder.folder
  }

  /// Throws where the folder to be replaced holds a file that no export could give back.
  ///
  /// Such a file has a name that the new folder does not have, and bytes that the store does not have.
  private func requireReplaceable() throws {
    guard try directory.status(name)?.isDirectory == true else { return }
    let old = try directory.subdirectory(name)
    let (names, unreadable) = try old.listing()
    let new = state.withLock { $0.names }
    for other in names where !Self.isLitter(other) {
      let isFile = try old.status(other)?.isRegular == true
      guard isFile, try new.isTaken(other) || isArtifact(other, in: old) else {
        throw foreign(other)
      }
    }
    if let other = unreadable.first { throw foreign(other) }
  }

  private func isArtifact(_ name: String, in folder: Directory) throws -> Bool {
    try isKept(Artifact.ID(Ingest.hash(folder.openFile(name)).digest))
  }

  /// Returns whether a file is one that file managers put into each folder that they show.
  private static func isLitter(_ name: String) -> Bool { name == ".DS_Store" }

  private func foreign(_ file: String) -> FileError {
    FileError(
      code: .notEmpty,
      message:
        "Can't replace the folder '\(directory.path(of: name))': '\(file)' in it is not of an export. Move it away, or export to another place.",
      path: directory.path(of: name))
  }
}
