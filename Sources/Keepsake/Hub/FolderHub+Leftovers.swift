#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
package import KeepsakeFiles

extension FolderHub {
  /// The number of folders that one piece of work looks into, so that other work comes in between.
  private static let foldersAtOnce = 64

  /// A file that another process is writing is locked by that process, and stays. So a file's age does not matter.
  package func leftovers(olderThan age: Duration, removing: Bool) async throws -> Abandoned {
    var all = try await run { [self] in
      var some = Abandoned()
      for folder in [root, notes] { some.add(try Self.leftovers(in: folder, removing)) }
      return some
    }
    for parent in [sessions, artifacts] {
      let names = try await run { try parent.names() }
      for start in stride(from: 0, to: names.count, by: Self.foldersAtOnce) {
        let part = names[start..<min(names.count, start + Self.foldersAtOnce)]
        let some = try await run {
          var some = Abandoned()
          for name in part where try parent.status(name)?.isDirectory == true {
            some.add(try Self.leftovers(in: parent.subdirectory(name), removing))
          }
          return some
        }
        all.add(some)
      }
    }
    return all
  }

  private static func leftovers(in folder: Directory, _ removing: Bool) throws -> Abandoned {
    do throws(FileError) {
      return removing ? try folder.removeAbandoned() : try folder.abandoned()
    } catch {
      guard error.code == .notFound else { throw error }
      // Another process removed the same at the same time, so that there may be more.
      var interrupted = Abandoned()
      interrupted.hasMore = true
      return interrupted
    }
  }
}
