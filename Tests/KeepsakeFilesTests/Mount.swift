import KeepsakeFiles

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

#if os(Linux)
  /// A file system of its own for a test, as far as this process may mount one.
  final class Mount {
    let folder: TemporaryFolder
    let directory: Directory

    /// Mounts one; nil if that is refused.
    init?(_ type: String, options: String = "ro") throws {
      folder = try TemporaryFolder()
      _ = try folder.directory.subdirectory("mounted", create: true)
      let mounted = try run(
        ["/bin/mount", "-t", type, "-o", options, type, folder.path("mounted")],
        output: folder.path("out"))
      guard mounted.code == 0 else { return nil }
      directory = try folder.directory.subdirectory("mounted")
    }

    deinit { umount2(folder.path("mounted"), Int32(MNT_DETACH)) }

    /// Whether this process may mount at all: seldom, unless it runs as root outside a container.
    static let isPermitted: Bool = {
      do {
        return try Mount("tmpfs", options: "size=64k") != nil
      } catch {
        return false
      }
    }()
  }
#endif
