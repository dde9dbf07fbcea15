#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// A hub in a folder on one file system, which the processes of a machine, or several machines, share.
///
/// A version is a file whose name is its number. It is written beside its place, synced and linked there, so that it is there
/// as a whole or not at all, and of several who take one number one wins. Such a file is never deleted. Only where something in
/// it was erased does another file take its place, as the same version. The folder's files are:
///
///     hub.json                              the hub's id and format
///     session/<id>/<10^18 - version>        a version: one line that says what it is, then the commit
///     artifact/ab/<sha256>                  the bytes of an artifact
///     artifact/ab/going-<id>-<sha256>       the bytes of an artifact that the removal of this id is about to remove
///     feed/<peer>/<number>                  what a peer changed, which is a hint
///     note/<kind>-<id>                      a note that a store left for the others
///
/// All work on files is done by threads of the hub's own, so that a slow network stops no task.
package final class FolderHub: Hub {
  /// The format that this version of Keepsake writes, and the newest that it reads.
  static let format = VersionFile.format
  /// The most bytes of one commit.
  static let largestCommit = VersionFile.largestCommit

  package let identity: HubIdentity
  let path: String
  let root: Directory
  let sessions: Directory
  let artifacts: Directory
  let feed: Directory
  let notes: Directory
  let threads: HubThreads
  /// The newest version that this object saw of a session. What it saw has no gaps before it.
  let known = Locked<[UUID: Known]>([:])
  /// The folders of artifacts that are certainly durable.
  let durableShards = Locked<Set<String>>([])
  private let feeding: Locked<HubPeer>
  /// Called between the steps of the work. A test has it throw.
  let watch: @Sendable (FolderStep) throws -> Void

  struct Known: Sendable {
    var head: HubHead
    /// The stamp that the version builds on.
    var base: UUID?
    /// Tells whether this object synced the name of the session's folder.
    var isFolderDurable: Bool
  }

  /// The name under which this object tells others of its changes. It changes when another store has the same name.
  package var peer: HubPeer { feeding.withLock { $0 } }

  package var feedPeer: HubPeer? { peer }

  package func assurances() async throws -> [String] {
    [
      "What the hub has taken was written through to the disk of its folder first. Of a network share, that is what its server makes of it."
    ]
  }

  init(
    _ folders: Folders, id: UUID, peer: HubPeer, threads: HubThreads,
    watch: @escaping @Sendable (FolderStep) throws -> Void
  ) {
    path = folders.path
    identity = HubIdentity(id: id, address: folders.path, abilities: [.hints, .batches])
    root = folders.root
    sessions = folders.sessions
    artifacts = folders.artifacts
    feed = folders.feed
    notes = folders.notes
    feeding = Locked(peer)
    self.threads = threads
    self.watch = watch
  }

  deinit { threads.end() }

  package func close() async { await threads.close() }

  /// Changes the peer under which the hub's changes are told.
  func setPeer(_ peer: HubPeer) { feeding.withLock { $0 = peer } }
}

extension FolderHub {
  /// The name of a session's folder.
  static func name(of session: UUID) -> String { "\(session)" }

  /// Opens the folder of a session; nil where the session is not there.
  func folder(of session: UUID) throws -> Directory? {
    do throws(FileError) { return try sessions.subdirectory(Self.name(of: session)) } catch {
      guard error.code == .notFound else { throw told(error, session) }
      let wasThere = known.withLock { $0[session] != nil }
      if wasThere { throw damaged(session, "its folder is gone") }
      return nil
    }
  }

  /// Throws if the hub's path leads to another folder now, or to none.
  ///
  /// A folder that is open can be written to after it was moved away. Whoever opens the hub later would not see what was written there.
  func requireInPlace() throws(KeepsakeError) {
    let isInPlace: Bool
    do throws(FileError) {
      let (found, own) = try (Directory(path: path).status(), root.status())
      isInPlace = found.device == own.device && found.inode == own.inode
    } catch {
      throw error.code == .notFound ? .noHub(path) : told(error)
    }
    guard isInPlace else { throw .replacedHub(path) }
  }

  /// Runs work on one of the hub's threads, in the folder to which the hub's path leads.
  /// - Parameters:
  ///   - session: The session of which the work is. Such work runs in turn; nil for work that need not.
  ///   - body: The work, which may block.
  /// - Throws: The error of the work, as ``told(_:_:)`` says it, or that the path leads to another folder or to none.
  func run<R: Sendable>(
    inTurn session: UUID? = nil, _ body: @escaping @Sendable () throws -> R
  ) async throws -> R {
    try Task.checkCancellation()
    return try await threads.run(inTurn: session) { [self] in
      try requireInPlace()
      do { return try body() } catch { throw told(error, session) }
    }
  }

  /// Says an error about the hub as one that a person can act on.
  func told(_ error: any Error, _ session: UUID? = nil) -> KeepsakeError {
    switch error {
    case let error as KeepsakeError: error
    case let error as FileError where [.notRegular, .link, .notDirectory].contains(error.code):
      damaged(session, "\(error.message)")
    case let error as FileError: KeepsakeError.hub(path, unreachable: error)
    default:
      KeepsakeError(
        .inputOutput, "The hub at '\(path)' failed: \(error)", object: path, cause: error)
    }
  }

  func damaged(_ session: UUID?, _ reason: String) -> KeepsakeError {
    session.map { .damaged($0, in: path, reason) } ?? .damagedHub(path, reason)
  }
}
