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
        var all = try Self.clear(root)
        for parent in [sessions, artifacts] {
          for name in try parent.names() {
            guard try parent.status(name)?.isDirectory == true else { continue }
            let removed = try Self.clear(parent.subdirectory(name))
            all.count += removed.count
            all.bytes += removed.bytes
            all.hasMore = all.hasMore || removed.hasMore
          }
        }
        return all
      } catch { throw told(error) }
    }
  }

  private static func clear(_ folder: Directory) throws -> Abandoned {
    do throws(FileError) { return try folder.removeAbandoned() } catch {
      guard error.code == .notFound else { throw error }
      // Another process removed the same at the same time, so that there may be more.
      var interrupted = Abandoned()
      interrupted.hasMore = true
      return interrupted
    }
  }
}
