/// Reports changes below some folders as soon as the system does.
///
/// The reports are hints: something may have changed again since, several changes may be reported as one, and where
/// the system lost events it reports that a whole folder has to be looked at. So the receiver looks at the files
/// itself, but only where it is told to.
package final class FolderEvents: Sendable {
  /// A reported change.
  package enum Event: Sendable, Hashable {
    /// Something happened to the file or folder at this path.
    case changed(String)
    /// More happened in this folder and below than could be reported, so all of it has to be looked at.
    case look(String)
  }

  private let source: any FolderEventSource

  /// Begins to listen. Earlier changes are not reported.
  /// - Parameters:
  ///   - folders: The absolute paths of the folders. A folder that does not exist yet is waited for.
  ///   - tell: Receives the changes on a thread of its own, and should return quickly.
  /// - Throws: `FileError`, when the system can't report changes.
  package init(below folders: [String], _ tell: @escaping @Sendable ([Event]) -> Void)
    throws(FileError)
  {
    #if os(Linux)
      source = try InotifySource(folders, tell)
    #elseif os(macOS)
      source = FileSystemEventsSource(folders, tell)
    #else
      source = NoEvents(folders: folders)
    #endif
  }

  deinit { source.stop() }

  /// The folders for which the system does not report all changes.
  ///
  /// They are on a network, where other machines change them, or there are too many folders to watch. They have to be
  /// looked at from time to time.
  package var untold: [String] { source.untold }

  /// Stops listening. Afterwards nothing is reported.
  package func stop() { source.stop() }
}

#if !os(Linux) && !os(macOS)
  /// A system that reports no changes of folders to an app.
  private struct NoEvents: FolderEventSource {
    let folders: [String]
    var untold: [String] { folders }
    func stop() {}
  }
#endif
