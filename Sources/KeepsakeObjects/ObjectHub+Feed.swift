package import Keepsake

extension ObjectHub {
  package func changes(after mark: HubMark?) async throws -> HubChanges {
    try await run { try await feed.changes(after: mark) }
  }
}
