import Foundation
import KeepsakeFiles
import Testing

@testable import Keepsake

/// The pasts of the sessions at a hub in a folder, as they were read last.
///
/// Stores fork sessions at any change that the hub has told, so the past of a session at the hub may go on, and never become another one.
/// A store that deletes a session may not know the last changes, which are left out then.
struct HubPasts {
  private var pasts: [UUID: SessionPast] = [:]

  /// Reads the pasts, and expects that each goes on from the past that was read before.
  mutating func read(_ mirrors: Mirrors, _ what: Comment = "") async throws {
    let hub = try await FolderHub.open(at: mirrors.folder.path)
    for head in try await hub.directory().heads {
      let commits = try await hub.allVersions(of: head.session).map(\.commit).telling
      if commits.areErased || commits.last?.isRemoval ?? true {
        pasts[head.session] = nil
        continue
      }
      let past = try SessionPast(of: commits)
      if let before = pasts[head.session] {
        let common = min(before.end.count, past.end.count)
        try #require(
          past.chain(after: common) == before.chain(after: common),
          "session \(head.session) had \(before.end.count) changes, and has \(past.end.count) others: \(what)"
        )
      }
      pasts[head.session] = past
    }
    await hub.close()
  }
}
