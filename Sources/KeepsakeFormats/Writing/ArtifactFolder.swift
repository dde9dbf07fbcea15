import KeepsakeFiles
import Keepsake

/// The folder of artifacts beside a file that is exported, each in it once. There is none until something is put into it.
final class ArtifactFolder: Sendable {
  private let name: String
  private let directory: Directory
  private let mayReplace: Bool
  private let isKept: @Sendable (Artifact.ID) throws -> Bool
  private let state = Locked(State())

  private struct State: Sendable {
    var folder: NewFolder?
    /// From the file to each artifact.
    var paths: [Artifact.ID: String] = [:]
    var names = UnusedNames()
  }

  /// - Parameters:
  ///   - name: What it is called.
  ///   - directory: Where it stands.
  ///   - mayReplace: Whether the folder of an earlier export is replaced.
  ///   - isKept: Whether the store has the bytes of an artifact, so that a file of them can be had again.
  init(
    _ name: String, in directory: Directory, replacing mayReplace: Bool,
    unlessKept isKept: @escaping @Sendable (Artifact.ID) throws -> Bool
  ) {
    self.name = name
    self.directory = directory
    self.mayReplace = mayReplace
    self.isKept = isKept
  }

  /// What the folder beside a file is called: `chat.artifacts` beside `chat.md`.
  static func name(beside file: String) -> String {
    UnusedNames.parts(of: file).stem + ".artifacts"
  }

  /// How many artifacts are in it.
  var count: Int { state.withLock { $0.paths.count } }

  /// Puts an artifact into the folder, unless it is there; its bytes are checked on the way.
  /// - Parameters:
  ///   - artifact: The artifact.
  ///   - name: What it would best be called: one plain component of a path.
  /// - Returns: The path from the file to it, as URLs have it.
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

  /// Puts it in its place; until it is settled, what it replaced is kept.
  func place() throws {
    guard let folder = state.withLock({ $0.folder }) else { return }
    try requireReplaceable()
    try folder.place()
  }

  /// Makes it stay.
  func settle() throws(FileError) { try state.withLock { $0.folder }?.settle() }

  private func begun() throws(FileError) -> Directory {
    if let folder = state.withLock({ $0.folder }) { return folder.folder }
    let folder = try NewFolder(name, in: directory, replacing: mayReplace)
    state.withLock { $0.folder = folder }
    return folder.folder
  }

  /// Throws where the folder that is to be replaced has something in it that no export can give back: with a name that the
  /// new folder does not have, and bytes that the store does not have.
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

  /// What file managers put into each folder that they show.
  private static func isLitter(_ name: String) -> Bool { name == ".DS_Store" }

  private func foreign(_ file: String) -> FileError {
    FileError(
      code: .notEmpty,
      message:
        "Can't replace the folder '\(directory.path(of: name))': '\(file)' in it is not of an export. Move it away, or export to another place.",
      path: directory.path(of: name))
  }
}
