#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
package import Keepsake

extension ObjectHub {
  package func versions(
    of session: UUID, after version: Int64, bytes limit: Int
  ) async throws -> HubVersions {
    try await run {
      do { return try await readVersions(of: session, after: version, bytes: limit) } catch {
        // The next one looks at what is there, and believes nothing that was seen before.
        known.forget(session)
        throw error is CancellationError ? error : told(error)
      }
    }
  }

  private func readVersions(
    of session: UUID, after version: Int64, bytes limit: Int
  ) async throws -> HubVersions {
    guard let newest = try await newest(of: session)?.version else {
      return HubVersions(versions: [], newest: 0)
    }
    var found: [HubVersion] = []
    var etag: String?
    var room = limit
    var next = max(0, min(version, newest)) + 1
    // If the version before can't be read, the reader itself compares the base with the stamp that it knows.
    var base = next > 1 ? try? await line(next - 1, of: session).0.stamp : nil
    reading: while next <= newest, room > 0 || found.isEmpty {
      let numbers = ahead(from: next, to: newest, room: room, found)
      for result in try await Abreast.map(
        numbers, { number in await self.attempt(number, session) })
      {
        guard room > 0 || found.isEmpty else { break reading }
        do {
          let (read, tag) = try result.get()
          guard next == 1 ? read.base == nil : base == nil || read.base == base else {
            throw altered(next, session, "it does not build on the version before it")
          }
          found.append(read)
          (base, etag) = (read.stamp, tag)
          room -= read.bytes.count
          next += 1
        } catch {
          // The versions before the faulty one are right, and come first. The next call begins at the faulty one, and throws.
          guard found.isEmpty else { break reading }
          throw error
        }
      }
    }
    if let last = found.last, last.version == newest {
      known.remember(
        HubHead(session: session, version: newest, stamp: last.stamp), base: last.base, etag: etag)
    }
    return HubVersions(versions: found, newest: newest)
  }

  /// The next versions to read at once: as many as have room, if they are as large as those before.
  private func ahead(
    from next: Int64, to newest: Int64, room: Int, _ found: [HubVersion]
  ) -> [Int64] {
    let sum = found.reduce(0) { $0 + $1.bytes.count }
    let usual = found.isEmpty ? 4096 : max(1, sum / found.count)
    let count = max(1, min(Abreast.limit, room / usual))
    return Array(next...min(newest, next + Int64(count) - 1))
  }

  private func attempt(
    _ version: Int64, _ session: UUID
  ) async -> Result<(HubVersion, etag: String?), any Error> {
    do { return .success(try await read(version, of: session)) } catch { return .failure(error) }
  }

  package func directory(of sessions: [UUID]) async throws -> HubDirectory {
    try await run {
      var directory = HubDirectory()
      for part in try await Abreast.map(Array(Set(sessions)), { try await self.part($0) }) {
        directory.add(part)
      }
      return directory
    }
  }

  private func part(_ session: UUID) async throws -> HubDirectory {
    do {
      return HubDirectory(heads: [try await newest(of: session)].compactMap(\.self))
    } catch is CancellationError { throw CancellationError() } catch {
      known.forget(session)
      let error = told(error)
      guard case .damaged(session: .some) = error.cause as? HubFault else { throw error }
      return HubDirectory(failures: [session: error])
    }
  }

  package func directory() async throws -> HubDirectory {
    try await run {
      do {
        var directory = HubDirectory()
        for part in try await Abreast.map(listed(), { await self.part($0) }) {
          directory.add(part)
        }
        directory.heads.sort { "\($0.session)" < "\($1.session)" }
        return directory
      } catch { throw error is CancellationError ? error : told(error) }
    }
  }

  /// A session as a listing of all gives it.
  private struct Listed: Sendable {
    let session: UUID
    let etag: String?
    var run = VersionRun()
  }

  private func listed() async throws -> [Listed] {
    var all: [Listed] = []
    try await store.listAll(keys.sessions) { page in
      for entry in page.entries {
        guard let (session, version) = keys.version(entry.key) else { continue }
        if all.last?.session != session { all.append(Listed(session: session, etag: entry.etag)) }
        all[all.count - 1].run.add(version)
      }
      return true
    }
    return all
  }

  private func part(_ listed: Listed) async -> HubDirectory {
    var directory = HubDirectory()
    var listed = listed
    let session = listed.session
    listed.run.end(at: 1)
    do {
      for version in listed.run.missing { try await requireThere(version, of: session) }
      let version = listed.run.newest ?? 0
      // The listing's tag says that these are still the bytes that were seen.
      if let known = known[session], known.head.version == version, let etag = listed.etag,
        known.etag == etag
      {
        directory.heads.append(known.head)
      } else {
        let (found, etag) = try await line(version, of: session)
        known.remember(found.head, base: found.base, etag: etag)
        directory.heads.append(found.head)
      }
    } catch {
      known.forget(session)
      directory.failures[session] = told(error)
    }
    return directory
  }
}
