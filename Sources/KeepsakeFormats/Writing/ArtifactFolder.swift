import Files
import Keepsake

/// The folder of artifacts beside a file that is exported, each in it once. There is none until something is put into it.
final class ArtifactFolder: Sendable {
  private let name: String
  private let directory: Directory
  private let mayReplace: Bool
  private let state = Locked(State())

  private struct State: Sendable {
    var folder: NewFolder?
    /// From the file to each artifact.
    var paths: [Artifact.ID: String] = [:]
    /// The names that are taken, without what some file systems make no difference of.
    var names: Set<String> = []
  }

  init(_ name: String, in directory: Directory, replacing mayReplace: Bool) {
    self.name = name
    self.directory = directory
    self.mayReplace = mayReplace
  }

  /// What the folder beside a file is called: `chat.artifacts` beside `chat.md`.
  static func name(beside file: String) -> String { parts(of: file).stem + ".artifacts" }

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
    let name = unused(name)
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
  func place() throws(FileError) { try state.withLock { $0.folder }?.place() }

  /// Makes it stay.
  func settle() throws(FileError) { try state.withLock { $0.folder }?.settle() }

  private func begun() throws(FileError) -> Directory {
    if let folder = state.withLock({ $0.folder }) { return folder.folder }
    let folder = try NewFolder(name, in: directory, replacing: mayReplace)
    state.withLock { $0.folder = folder }
    return folder.folder
  }

  /// A name like this one that nothing in the folder has, also where letter case makes no difference.
  private func unused(_ name: String) -> String {
    let (stem, ending) = Self.parts(of: name)
    return state.withLock { state in
      var candidate = name
      var number = 1
      while !state.names.insert(candidate.lowercased()).inserted {
        number += 1
        candidate = "\(stem)-\(number)\(ending)"
      }
      return candidate
    }
  }

  /// A name without its extension, and the extension with its dot.
  private static func parts(of name: String) -> (stem: String, ending: String) {
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return (name, "") }
    return (String(name[..<dot]), String(name[dot...]))
  }
}
