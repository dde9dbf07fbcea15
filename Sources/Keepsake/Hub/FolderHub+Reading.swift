#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import KeepsakeFiles

extension FolderHub {
  package func versions(
    of session: UUID, after version: Int64, bytes limit: Int
  ) async throws -> HubVersions {
    try await run { [self] in
      do { return try readVersions(of: session, after: version, bytes: limit) } catch {
        // The next one looks at what is there, and believes nothing that was seen before.
        forget(session)
        throw told(error, session)
      }
    }
  }

  private func readVersions(
    of session: UUID, after version: Int64, bytes limit: Int
  ) throws -> HubVersions {
    guard let folder = try folder(of: session) else {
      return HubVersions(versions: [], newest: 0)
    }
    let newest = try newestNumber(of: session, in: folder)
    var found: [HubVersion] = []
    var room = limit
    var next = max(0, min(version, newest)) + 1
    // If the version before can't be read, the reader itself compares the base with the stamp that it knows.
    var base = next > 1 ? try? head(next - 1, of: session, in: folder).stamp : nil
    while next <= newest, room > 0 || found.isEmpty {
      do {
        let read = try read(next, of: session, in: folder)
        guard next == 1 ? read.base == nil : base == nil || read.base == base else {
          throw altered(next, session, "it does not build on the version before it")
        }
        found.append(read)
        base = read.stamp
        room -= read.bytes.count
        next += 1
      } catch {
        // The versions before the faulty one are right, and come first. The next call begins at the faulty one, and throws.
        guard found.isEmpty else { break }
        throw error
      }
    }
    if let last = found.last, last.version == newest {
      remember(
        HubHead(session: session, version: newest, stamp: last.stamp), base: last.base)
    }
    return HubVersions(versions: found, newest: newest)
  }

  package func directory(of sessions: [UUID]) async throws -> HubDirectory {
    try await run { [self] in
      var directory = HubDirectory()
      for session in Set(sessions) {
        do {
          guard let folder = try folder(of: session), let head = try newest(of: session, in: folder)
          else { continue }
          directory.heads.append(head)
        } catch {
          forget(session)
          directory.failures[session] = told(error, session)
        }
      }
      return directory
    }
  }

  package func directory() async throws -> HubDirectory {
    let ids = try await run { [self] in try sessions.names().filter { UUID(text: $0) != nil } }
    // A few at a time, so that other work comes in between, and several answers are waited for at once.
    let step = 64
    return try await withThrowingTaskGroup(of: HubDirectory.self) { group in
      for start in stride(from: 0, to: ids.count, by: step) {
        group.addTask { [self] in
          try Task.checkCancellation()
          return try await threads.run { self.part(ids[start..<min(ids.count, start + step)]) }
        }
      }
      var all = HubDirectory()
      for try await part in group {
        all.add(part)
      }
      all.heads.sort { Self.name(of: $0.session) < Self.name(of: $1.session) }
      return all
    }
  }

  private func part(_ names: ArraySlice<String>) -> HubDirectory {
    var part = HubDirectory()
    for name in names {
      // Only the spelling that a hub gives is a session's.
      guard let session = UUID(text: name), Self.name(of: session) == name else { continue }
      do {
        guard let folder = try folder(of: session) else { continue }
        let version = try listedNewest(of: session, in: folder)
        // A folder without a version is what was left of a first commit.
        if version > 0 { part.heads.append(try head(version, of: session, in: folder).head) }
      } catch { part.failures[session] = told(error, session) }
    }
    return part
  }
}
