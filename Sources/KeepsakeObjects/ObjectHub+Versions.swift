#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake
import KeepsakeFiles

/// Finding the versions of a session, and reading what their objects say.
extension ObjectHub {
  /// The bytes that are read at once; most versions are smaller.
  private static let piece = 1 << 20
  /// The keys of the first page, where most of a session is known.
  private static let firstPage = 32

  /// Returns the newest version of a session; nil where there is none.
  /// - Parameter least: A number that is known to be taken.
  /// - Throws: An error about the session where a number is missing before another one.
  func newest(of session: UUID, least: Int64 = 0) async throws -> HubHead? {
    let (version, etag) = try await listedNewest(of: session)
    // A listing may miss what was created a moment ago.
    let number = max(version, least)
    guard number > 0 else { return nil }
    if let known = known[session], known.head.version == number, number == version,
      let etag, known.etag == etag
    {
      self.known.confirm(known.head)
      return known.head
    }
    let (found, tag) = try await line(number, of: session)
    known.remember(found.head, base: found.base, etag: tag)
    return found.head
  }

  /// Lists the versions of a session down to the one that is known, and returns the newest number; 0 where there is none.
  private func listedNewest(of session: UUID) async throws -> (version: Int64, etag: String?) {
    let reached = known[session]?.head.version ?? 0
    var newest: (version: Int64, etag: String?) = (0, nil)
    var run = VersionRun()
    try await store.listAll(
      keys.session(session), limit: reached > 0 ? Self.firstPage : 1000
    ) { page in
      for entry in page.entries {
        guard let version = keys.version(entry.key)?.version else { continue }
        if run.lowest == nil { newest = (version, entry.etag) }
        run.add(version)
      }
      return (run.lowest ?? .max) > max(1, reached)
    }
    // A listing may miss what is created meanwhile, and a look at the key does not.
    guard newest.version >= reached else {
      try await requireThere(reached, of: session)
      return (reached, nil)
    }
    run.end(at: max(1, reached))
    for version in run.missing { try await requireThere(version, of: session) }
    return newest
  }

  func requireThere(_ version: Int64, of session: UUID) async throws {
    guard try await store.head(keys.version(version, of: session)) != nil else {
      throw gone(version, session)
    }
  }

  /// Reads what the object of a version says of itself, and the server's tag for it.
  func line(_ version: Int64, of session: UUID) async throws -> (VersionFile, etag: String?) {
    let part = try await part(version, of: session, count: CheckedLine.limit)
    return (try checked(part, version, session).file, part.etag)
  }

  /// Reads a version, and checks its bytes.
  func read(_ version: Int64, of session: UUID) async throws -> (HubVersion, etag: String?) {
    let (read, etag) = try await readOnce(version, of: session)
    if let read { return (read, etag) }
    // Somebody may have erased something in it between two parts that were read.
    let (again, tag) = try await readOnce(version, of: session)
    guard let again else {
      throw altered(version, session, "its bytes are not those that were written")
    }
    return (again, tag)
  }

  /// Reads a version; nil where the bytes are not those that its first line promises.
  private func readOnce(
    _ version: Int64, of session: UUID
  ) async throws -> (HubVersion?, etag: String?) {
    let first = try await part(version, of: session, count: Self.piece)
    let (file, start) = try checked(first, version, session)
    var bytes = Array(first.bytes.dropFirst(start))
    while Int64(bytes.count) < file.size {
      let place = Int64(start + bytes.count)
      let rest = try await store.get(
        keys.version(version, of: session), from: place,
        count: Int(min(file.size - Int64(bytes.count), 8 << 20)))
      guard let rest else { throw gone(version, session) }
      guard !rest.bytes.isEmpty else { break }
      bytes += rest.bytes
    }
    let read = HubVersion(
      version: version, stamp: file.stamp, base: file.base, bytes: bytes, digest: file.digest)
    return (read, first.etag)
  }

  private func part(_ version: Int64, of session: UUID, count: Int) async throws -> ObjectPart {
    guard let part = try await store.get(keys.version(version, of: session), count: count) else {
      throw gone(version, session)
    }
    return part
  }

  /// Reads the first line of an object, which has to be that of the version.
  private func checked(
    _ part: ObjectPart, _ version: Int64, _ session: UUID
  ) throws -> (file: VersionFile, count: Int) {
    guard let line = CheckedLine(part.bytes) else {
      throw altered(version, session, "its first line was altered")
    }
    if let format = line.number("format"), format > VersionFile.format {
      throw KeepsakeError.newerHub(address, format: format)
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
    guard part.size == Int64(line.count) + found.size else {
      throw altered(version, session, "it is shorter or longer than it was")
    }
    return (found, line.count)
  }

  func gone(_ version: Int64, _ session: UUID) -> KeepsakeError {
    .damaged(session, in: address, "version \(version) is gone")
  }

  func altered(_ version: Int64, _ session: UUID, _ reason: String) -> KeepsakeError {
    .damaged(session, in: address, "the object of version \(version) was altered: \(reason)")
  }
}
