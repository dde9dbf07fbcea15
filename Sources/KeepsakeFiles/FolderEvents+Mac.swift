#if os(macOS)
  import CoreServices
  import Foundation

  /// Receives the changes below folders from macOS's FSEvents, which reports on everything below each folder.
  final class FileSystemEventsSource: FolderEventSource {
    private let stream: Locked<Stream?>

    @safe
    private struct Stream: @unchecked Sendable {
      // `@unchecked`: the stream is used under the lock only, and the system's calls on it are allowed from any
      // thread.
      let raw: FSEventStreamRef
    }

    /// The object that the system passes with each event, and releases with the stream.
    private final class Listener: Sendable {
      let tell: @Sendable ([FolderEvents.Event]) -> Void

      init(_ tell: @escaping @Sendable ([FolderEvents.Event]) -> Void) { self.tell = tell }
    }

    init(_ folders: [String], _ tell: @escaping @Sendable ([FolderEvents.Event]) -> Void) {
      var context = unsafe FSEventStreamContext(
        version: 0, info: Unmanaged.passRetained(Listener(tell)).toOpaque(), retain: nil,
        release: { info in
          if let info = unsafe info { unsafe Unmanaged<Listener>.fromOpaque(info).release() }
        }, copyDescription: nil)
      let flags =
        kFSEventStreamCreateFlagFileEvents | kFSEventStreamCreateFlagNoDefer
        | kFSEventStreamCreateFlagWatchRoot
      let stream = unsafe FSEventStreamCreate(
        kCFAllocatorDefault,
        { _, info, count, paths, flags, _ in
          guard let info = unsafe info else { return }
          let listener = unsafe Unmanaged<Listener>.fromOpaque(info).takeUnretainedValue()
          let names = unsafe paths.assumingMemoryBound(to: UnsafePointer<CChar>.self)
          listener.tell(
            (0..<count).map { index in
              var path = unsafe String(cString: names[index])
              if path.count > 1, path.hasSuffix("/") { path.removeLast() }
              let isVague = unsafe flags[index] & FileSystemEventsSource.vague != 0
              return isVague ? .look(path) : .changed(path)
            })
        }, &context, folders as CFArray, FSEventStreamEventId(kFSEventStreamEventIdSinceNow), 0.05,
        FSEventStreamCreateFlags(flags))
      if let stream = unsafe stream {
        unsafe FSEventStreamSetDispatchQueue(stream, DispatchQueue(label: "keepsake-folders"))
        unsafe FSEventStreamStart(stream)
      }
      self.stream = Locked(unsafe stream.map { unsafe Stream(raw: $0) })
    }

    /// The flags of events that require looking at a whole folder: the system lost events, or the folder was
    /// replaced.
    private static let vague = FSEventStreamEventFlags(
      kFSEventStreamEventFlagMustScanSubDirs | kFSEventStreamEventFlagUserDropped
        | kFSEventStreamEventFlagKernelDropped | kFSEventStreamEventFlagRootChanged
        | kFSEventStreamEventFlagMount | kFSEventStreamEventFlagUnmount
        | kFSEventStreamEventFlagItemIsDir)

    let untold: [String] = []

    func stop() {
      stream.withLock { stream in
        guard let raw = unsafe stream?.raw else { return }
        unsafe FSEventStreamStop(raw)
        unsafe FSEventStreamInvalidate(raw)
        unsafe FSEventStreamRelease(raw)
        stream = nil
      }
    }
  }
#endif
