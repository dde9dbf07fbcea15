#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import KeepsakeFiles

extension FolderHub {
  /// The folders of a hub.
  struct Folders: Sendable {
    let path: String
    let root: Directory
    let sessions: Directory
    let artifacts: Directory
    let feed: Directory
    let notes: Directory
  }

  private static let file = HubFile.name
  private static let session = "session"
  private static let artifact = "artifact"
  private static let feed = "feed"
  private static let note = "note"

  /// Opens the hub in a folder, and proves that of several who take one number only one can win.
  ///
  /// - Parameters:
  ///   - path: The path of the folder.
  ///   - id: The id that the hub has to have; nil for whatever hub is there.
  ///   - peer: The name under which changes are told to others.
  ///   - mayMake: Whether a missing hub is made, in a new folder or an empty one.
  /// - Returns: The open hub.
  /// - Throws: A ``KeepsakeError`` with a ``HubFault`` as its cause.
  package static func open(
    at path: String, expecting id: UUID? = nil, peer: HubPeer = HubPeer(),
    making mayMake: Bool = false
  ) async throws -> FolderHub {
    try await open(at: path, expecting: id, peer: peer, making: mayMake) { _ in }
  }

  /// Opens a hub whose work a test watches, and stops by throwing.
  static func open(
    at path: String, expecting id: UUID? = nil, peer: HubPeer = HubPeer(),
    making mayMake: Bool = false,
    watch: @escaping @Sendable (FolderStep) throws -> Void
  ) async throws -> FolderHub {
    let threads = HubThreads(closed: .closedHub(path))
    do {
      return try await threads.run {
        let (folders, found) = try prepare(path, making: mayMake)
        if let id, id != found { throw KeepsakeError.anotherHub(path, id: found, expected: id) }
        return FolderHub(folders, id: found, peer: peer, threads: threads, watch: watch)
      }
    } catch {
      threads.end()
      if let error = error as? FileError { throw KeepsakeError.hub(path, unreachable: error) }
      throw error
    }
  }

  private static func prepare(_ path: String, making mayMake: Bool) throws -> (Folders, UUID) {
    let root = try rootFolder(path, making: mayMake)
    if try !root.exists(file) {
      try requireEmpty(root, path)
      guard mayMake else { throw KeepsakeError.noHub(path) }
    }
    // A proof that was cut short leaves files beside the hub's own folders. They do no harm, and others may remove them meanwhile.
    _ = try? root.removeAbandoned()
    try FolderConditions(path: path).prove(in: root)
    if try !root.exists(file) { try make(in: root) }
    let id = try id(in: root, path)
    let folders = Folders(
      path: path, root: root, sessions: try made(session, in: root),
      artifacts: try made(artifact, in: root), feed: try made(feed, in: root),
      notes: try made(note, in: root))
    return (folders, id)
  }

  private static func rootFolder(_ path: String, making mayMake: Bool) throws -> Directory {
    do throws(FileError) { return try Directory(path: path) } catch {
      switch error.code {
      case .notFound where mayMake: break
      case .notFound: throw KeepsakeError.noHub(path)
      case .notDirectory: throw KeepsakeError.notAHub(path)
      default: throw error
      }
    }
    let root: Directory
    do throws(FileError) { root = try Directory.create(path: path) } catch {
      guard error.code == .exists else { throw error }
      return try Directory(path: path)
    }
    let plain = path.hasSuffix("/") ? String(path.dropLast()) : path
    let parent = plain.lastIndex(of: "/").map { String(plain[..<$0]) }
    try Directory(path: parent.map { $0.isEmpty ? "/" : $0 } ?? ".").sync()
    return root
  }

  /// Throws where a folder without a hub's own file holds more than what comes before that, and what systems put anywhere.
  private static func requireEmpty(_ root: Directory, _ path: String) throws {
    guard let refusal = try refusal(of: root, path) else { return }
    // Another process may have made the hub meanwhile, so that what was found is its own.
    guard try root.exists(file) else { throw refusal }
  }

  private static func refusal(of root: Directory, _ path: String) throws -> KeepsakeError? {
    let own = [session, artifact, feed, note]
    for name in try root.names(atMost: Directory.mostNames) {
      guard own.contains(name) else {
        if name.hasPrefix(".") || name == "lost+found" { continue }
        return .notAHub(path)
      }
      guard try root.subdirectory(name).names(atMost: 1).isEmpty else {
        return .damagedHub(path, "'\(file)' is gone, and its other files are there")
      }
    }
    return nil
  }

  private static func made(_ name: String, in root: Directory) throws -> Directory {
    try root.subdirectory(name, create: try !root.exists(name), mode: 0o777)
  }

  /// Makes the file that says that a folder is a hub, unless another process was first.
  private static func make(in root: Directory) throws {
    for name in [session, artifact, feed, note] { try root.makeFolder(name, mode: 0o777) }
    try root.sync()
    let line = HubFile.content(UUID())
    do throws(FileError) {
      let new = try NewFile(file, in: root, mode: 0o444)
      try new.write(line)
      try new.finish()
    } catch {
      guard error.code == .exists else { throw error }
    }
  }

  private static func id(in root: Directory, _ path: String) throws -> UUID {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try root.openFile(file).readAll(limit: 1 << 16)
    } catch {
      guard [.notRegular, .link, .tooLarge].contains(error.code) else { throw error }
      throw KeepsakeError.notAHub(path)
    }
    return try HubFile.id(bytes, of: path)
  }
}
