/// Tells what changes below some folders, as soon as the system does.
///
/// What it tells are hints: a thing may have changed again since, several changes come as one, and where the system lost
/// count it says to look at all of a folder. So whoever listens looks for himself, and only where he is told to.
public final class FolderEvents: Sendable {
  public enum Event: Sendable, Hashable {
    /// Something happened to what has this path.
    case changed(String)
    /// More happened in this folder and below than can be told: look at all that is there.
    case look(String)
  }

  private let source: any FolderEventSource

  /// Begins to listen. What changed before is not told.
  /// - Parameters:
  ///   - folders: Absolute paths. A folder that is not there yet is waited for.
  ///   - tell: Is told what happened, on a thread of its own, and should be quick.
  public init(below folders: [String], _ tell: @escaping @Sendable ([Event]) -> Void)
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

  /// The folders of which the system does not tell everything: on a network others change them, or there are too many to
  /// listen at. They are to be looked through from time to time.
  public var untold: [String] { source.untold }

  /// Stops to listen; afterwards nothing is told any more.
  public func stop() { source.stop() }
}

/// What a system has to tell of its folders.
protocol FolderEventSource: Sendable {
  var untold: [String] { get }
  func stop()
}

#if !os(Linux) && !os(macOS)
  /// A system that tells an app nothing of its folders.
  private struct NoEvents: FolderEventSource {
    let folders: [String]
    var untold: [String] { folders }
    func stop() {}
  }
#endif
