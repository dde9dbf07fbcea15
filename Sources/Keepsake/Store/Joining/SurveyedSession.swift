#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A session of a hub, as all of its versions tell of it.
struct SurveyedSession: Sendable {
  let id: UUID
  /// The newest version; nil if it can't be read.
  private(set) var newest: Int64?
  /// The number of versions.
  private(set) var versions = 0
  /// Tells whether the session was deleted.
  private(set) var isDeleted = false
  /// The artifacts that some commit names.
  private(set) var named: Set<Artifact.ID> = []
  /// The artifacts whose bytes the session needs as it is now.
  private(set) var needed: Set<Artifact.ID> = []
  /// The version that takes the place of older ones that still say what was erased; nil if there are none.
  private(set) var unfinished: Int64?
  /// The session from which this one was forked.
  private(set) var origin: UUID?
  /// The reason why the session can't be used; nil if it can.
  private(set) var fault: String?
  /// The entry that the hub's lists should have; nil if it is not wanted, or can't be told.
  private(set) var entry: HubLists.Expected?

  /// Reads a session.
  /// - Parameters:
  ///   - id: The session.
  ///   - hub: The hub.
  ///   - hasEntry: Whether the entry of the hub's lists is wanted.
  /// - Throws: An error that concerns the hub, and not only the session.
  init(reading id: UUID, of hub: any Hub, withEntry hasEntry: Bool) async throws {
    self.id = id
    do { try await read(from: hub, withEntry: hasEntry) } catch let error as KeepsakeError
      where !error.isOfAHub
    {
      fault = error.message
    } catch let error as CopyFault {
      fault = "Its versions can't be used: \(error.reason)."
    }
  }

  private mutating func read(from hub: any Hub, withEntry hasEntry: Bool) async throws {
    var read = try await hub.allVersions(of: id)
    // Another store may have erased something between two parts of the reading. A second reading finds the version that has the rest.
    if read.map(\.commit).areErased { read = try await hub.allVersions(of: id) }
    guard let last = read.last else { throw CopyFault("it has none") }
    newest = last.number
    versions = read.count
    isDeleted = last.commit.isDeletion
    let all = read.map(\.commit)
    let start = all.lastIndex(where: \.standsAlone) ?? 0
    if !all[..<start].allSatisfy(\.isRemainder) { unfinished = read[start].number }
    let commits = Array(all[start...])
    if !last.commit.isRemoval {
      if all.areErased {
        throw CopyFault("the one that takes the place of erased ones is missing")
      }
      _ = try SessionPast(of: commits)
      named = Set(commits.flatMap(\.records).flatMap(\.artifacts))
      needed = commits.needed
      origin = commits.first?.records.first?.bytes("fork.of").flatMap(UUID.init(bytes:))
    }
    if hasEntry { entry = .init(id, at: last.stamp, commits) }
  }

  /// Returns the artifacts whose bytes a session needs now.
  static func needed(by session: UUID, of hub: some Hub) async throws -> Set<Artifact.ID> {
    let commits = try await hub.allVersions(of: session).map(\.commit)
    return Array(commits[(commits.lastIndex(where: \.standsAlone) ?? 0)...]).needed
  }
}

extension [SessionCommit] {
  /// The artifacts whose bytes a session needs after all of the commits.
  fileprivate var needed: Set<Artifact.ID> {
    var needed: Set<Artifact.ID> = []
    // A later commit may remove rows of some kinds, which need no artifact any more.
    var removable: [SessionCommit.Gone: [Artifact.ID]] = [:]
    for commit in self {
      needed.subtract(commit.erased)
      for gone in commit.gone { removable[gone] = nil }
      for record in commit.records {
        if let name = record.removableName {
          removable[name] = record.requiredArtifacts
        } else {
          needed.formUnion(record.requiredArtifacts)
        }
      }
    }
    return needed.union(removable.values.joined())
  }
}
