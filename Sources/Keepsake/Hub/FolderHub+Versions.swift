#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Finding the versions of a session, and reading what their files say.
extension FolderHub {
  /// The most sessions whose newest version is remembered.
  private static let knownLimit = 20_000

  /// Remembers a session's newest version, unless a newer one is known.
  func remember(_ head: HubHead, base: UUID?) {
    known.withLock { known in
      if known.count >= Self.knownLimit, known[head.session] == nil { known.removeAll() }
      let there = known[head.session]
      if let there, there.head.version > head.version { return }
      known[head.session] = Known(
        head: head, base: base, isFolderDurable: there?.isFolderDurable ?? false)
    }
  }

  /// Notes that the name of a session's folder is durable.
  func markDurable(_ session: UUID) { known.withLock { $0[session]?.isFolderDurable = true } }

  func forget(_ session: UUID) { known.withLock { $0[session] = nil } }

  /// Returns the number of the newest version; 0 where there is none.
  ///
  /// The folder is listed once for each session. Later the numbers behind the newest one that is known are tried.
  /// - Throws: An error about the session where a number is missing before another one.
  func newestNumber(of session: UUID, in folder: Directory, least: Int64 = 0) throws -> Int64 {
    var version = least
    if let head = known.withLock({ $0[session]?.head }) {
      guard try folder.exists(VersionFile.name(head.version)) else {
        throw gone(head.version, session)
      }
      version = max(version, head.version)
    } else {
      version = max(version, try listedNewest(of: session, in: folder))
    }
    while try folder.exists(VersionFile.name(version + 1)) { version += 1 }
    return version
  }

  /// Lists a session's folder, and returns the number of its newest version.
  func listedNewest(of session: UUID, in folder: Directory) throws -> Int64 {
    let names = try folder.names()
    if names.first?.hasPrefix(".") == true {
      // A process that ended while it wrote left this file. A file that can't be removed does no harm.
      _ = try? folder.removeAbandoned()
    }
    // The newest is first by name, so the oldest comes last.
    var expected: Int64 = 1
    for version in names.lazy.reversed().compactMap(VersionFile.version(named:)) {
      while expected < version {
        // A listing may miss what is created meanwhile, and a look at the name does not.
        guard try folder.exists(VersionFile.name(expected)) else { throw gone(expected, session) }
        expected += 1
      }
      expected = version + 1
    }
    return expected - 1
  }

  /// Returns the newest version of a session; nil where there is none.
  /// - Parameter least: A number that is known to be taken.
  func newest(of session: UUID, in folder: Directory, least: Int64 = 0) throws -> HubHead? {
    let version = try newestNumber(of: session, in: folder, least: least)
    guard version > 0 else { return nil }
    if let head = known.withLock({ $0[session]?.head }), head.version == version { return head }
    let found = try head(version, of: session, in: folder)
    remember(found.head, base: found.base)
    return found.head
  }

  /// Reads what the file of a version says of itself.
  func head(_ version: Int64, of session: UUID, in folder: Directory) throws -> VersionFile {
    try withFile(version, of: session, in: folder) { _, found, _ in found }
  }

  /// Reads a version, and checks its bytes.
  func read(_ version: Int64, of session: UUID, in folder: Directory) throws -> HubVersion {
    try withFile(version, of: session, in: folder) { file, found, offset in
      var bytes = [UInt8](repeating: 0, count: Int(found.size))
      guard try file.read(into: &bytes, at: offset) == bytes.count,
        let read = HubVersion(
          version: version, stamp: found.stamp, base: found.base, bytes: bytes,
          digest: found.digest)
      else { throw altered(version, session, "its bytes are not those that were written") }
      return read
    }
  }

  private func withFile<Result>(
    _ version: Int64, of session: UUID, in folder: Directory,
    _ body: (borrowing FileDescriptor, VersionFile, _ offset: Int64) throws -> Result
  ) throws -> Result {
    let file: FileDescriptor
    do throws(FileError) { file = try folder.openFile(VersionFile.name(version)) } catch {
      throw error.code == .notFound ? gone(version, session) : told(error, session)
    }
    var bytes = [UInt8](repeating: 0, count: CheckedLine.limit)
    bytes.removeLast(bytes.count - (try file.read(into: &bytes, at: 0)))
    guard let line = CheckedLine(bytes) else {
      throw altered(version, session, "its first line was altered")
    }
    if let format = line.number("format"), format > Self.format {
      throw KeepsakeError.newerHub(path, format: format)
    }
    guard let found = VersionFile(line) else {
      throw altered(version, session, "its first line says too little")
    }
    guard found.session == session, found.version == version else {
      throw altered(
        version, session, "it is version \(found.version) of session \(found.session)")
    }
    guard found.hub == identity.id else {
      throw altered(version, session, "it belongs to the hub \(found.hub)")
    }
    guard try file.size == Int64(line.count) + found.size else {
      throw altered(version, session, "it is shorter or longer than it was")
    }
    return try body(file, found, Int64(line.count))
  }

  private func gone(_ version: Int64, _ session: UUID) -> KeepsakeError {
    damaged(session, "version \(version) is gone")
  }

  func altered(_ version: Int64, _ session: UUID, _ reason: String) -> KeepsakeError {
    damaged(session, "the file of version \(version) was altered: \(reason)")
  }
}
