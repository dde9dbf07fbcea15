#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
package import KeepsakeFiles

extension FolderHub {
  /// Removes what processes left that ended while they wrote. Nobody ever sees such files, and they do no harm.
  ///
  /// A file that another process is writing is locked by it, and stays.
  /// - Returns: What was removed.
  @discardableResult
  package func removeLeftovers() async throws -> Abandoned {
    try await threads.run { [self] in
      do {
        var all = try root.removeAbandoned()
        for parent in [sessions, artifacts] {
          for name in try parent.names() {
            guard try parent.status(name)?.isDirectory == true else { continue }
            let removed = try parent.subdirectory(name).removeAbandoned()
            all.count += removed.count
            all.bytes += removed.bytes
            all.hasMore = all.hasMore || removed.hasMore
          }
        }
        return all
      } catch { throw told(error) }
    }
  }
}
