import Foundation
import KeepsakeFiles
import Testing

@testable import Keepsake

/// The pasts of the sessions at a hub in a folder, as they were read last.
///
/// Stores fork sessions at any change that the hub has told, so the past of a session at the hub may go on, and never become another one or lose
/// changes.
struct HubPasts {
  private var ends: [UUID: Chain] = [:]

  /// Reads the pasts, and expects that each goes on from the past that was read before.
  mutating func read(_ mirrors: Mirrors, _ what: Comment = "") async throws {
    let hub = try await FolderHub.open(at: mirrors.folder.path)
    for head in try await hub.directory().heads {
      let commits = try await hub.allVersions(of: head.session).map(\.commit).telling
      if commits.areErased || commits.last?.isRemoval ?? true {
        ends[head.session] = nil
        continue
      }
      let past = try SessionPast(of: commits)
      if let before = ends[head.session] {
        try #require(
          past.chain(after: before.count) == before,
          "session \(head.session) had \(before.count) changes, and has \(past.end.count) others: \(what)"
        )
      }
      ends[head.session] = past.end
    }
    await hub.close()
  }
}
