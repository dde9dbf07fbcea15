#if os(Linux)
  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #endif
  import CKeepsakeCrypto

  /// Receives the changes below folders from Linux's inotify.
  ///
  /// Inotify reports on single folders, so every folder below has to be watched as well. It reports names only, and a
  /// folder's path changes when it is moved, so the paths are kept here.
  final class InotifySource: FolderEventSource {
    private let state: Locked<State>
    private let thread: Locked<WorkerThread?>
    private let raw: Int32
    /// A pipe whose closing wakes the thread, which then ends.
    private let ending: (read: Int32, write: Int32)

    private struct State {
      var untold: Set<String> = []
      var hasStopped = false
    }

    init(_ folders: [String], _ tell: @escaping @Sendable ([FolderEvents.Event]) -> Void)
      throws(FileError)
    {
      let what = "Can't listen for changes of folders"
      raw = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
      guard raw >= 0 else { throw FileError(errno: errno, what, path: folders.first ?? "") }
      var ends: [Int32] = [-1, -1]
      guard unsafe pipe(&ends) == 0 else {
        let code = errno
        close(raw)
        throw FileError(errno: code, what, path: folders.first ?? "")
      }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      ending = (ends[0], ends[1])
      let state = Locked(State())
      self.state = state
      thread = Locked(nil)
      // Listening begins before this returns, so what changes later is either found by looking or reported.
      var listener = InotifyListener(raw: raw, ending: ends[0], roots: folders)
      listener.listenToAll()
      let untold = listener.untold
      state.withLock { $0.untold = untold }
      let ready = listener
      let worker = try WorkerThread(starting: "keepsake-folders") {
        var listener = ready
        listener.run(tell) { untold in state.withLock { $0.untold = untold } }
      }
      thread.withLock { $0 = worker }
    }

    deinit { stop() }

    var untold: [String] { state.withLock { $0.untold.sorted() } }

    func stop() {
      let isFirst = state.withLock { state in
        defer { state.hasStopped = true }
        return !state.hasStopped
      }
      guard isFirst else { return }
      close(ending.write)
      thread.withLock { $0 }?.join()
      close(raw)
      close(ending.read)
    }
  }

  /// The state of the thread that reads the events.
  private struct InotifyListener: Sendable {
    let raw: Int32
    let ending: Int32
    let roots: [String]
    private var folders: [Int32: String] = [:]
    private var watches: [String: Int32] = [:]
    private(set) var untold: Set<String> = []
    /// Folders that are watched only because a missing root below them may be made.
    private var ancestors: Set<String> = []

    init(raw: Int32, ending: Int32, roots: [String]) {
      self.raw = raw
      self.ending = ending
      self.roots = roots
    }

    private static let inside =
      UInt32(IN_MODIFY) | UInt32(IN_CLOSE_WRITE) | UInt32(IN_CREATE) | UInt32(IN_MOVED_TO)
      | UInt32(IN_MOVED_FROM) | UInt32(IN_ATTRIB)
    private static let itself = UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)
    private static let kind = UInt32(IN_ONLYDIR) | UInt32(IN_EXCL_UNLINK)

    // MARK: Listening

    /// Watches all roots with everything below them, and for a missing root the nearest existing folder above it.
    mutating func listenToAll() {
      untold = []
      for root in roots { listen(to: root) }
    }

    private mutating func listen(to root: String) {
      let way = Self.way(to: root)
      guard var nearest = way.firstIndex(where: { add($0) }) else {
        untold.insert(root)
        return
      }
      // A folder may have been made after it was tried, and before the folder above it was watched.
      while let nearer = way[..<nearest].firstIndex(where: { add($0) }) { nearest = nearer }
      if nearest == way.startIndex {
        if Self.isElsewhere(root) { untold.insert(root) }
        addFolders(below: root, of: root)
      } else {
        ancestors.insert(way[nearest])
      }
      // When a folder above is moved, the root's path changes too, which is not reported for the root itself.
      for folder in way[(nearest + 1)...] { _ = add(folder, Self.itself | UInt32(IN_MASK_ADD)) }
    }

    /// Watches one folder; false where it is missing, or can't be watched.
    private mutating func add(_ path: String, _ events: UInt32 = inside | itself) -> Bool {
      let watch = unsafe inotify_add_watch(raw, path, events | Self.kind)
      guard watch >= 0 else { return false }
      // The same folder under another name has the same watch, so the newest name is kept.
      if let old = folders[watch], old != path { watches[old] = nil }
      folders[watch] = path
      watches[path] = watch
      return true
    }

    private mutating func addFolders(below path: String, of root: String) {
      var waiting = [path]
      while let next = waiting.popLast() {
        guard let folder = try? Directory(path: next), let names = try? folder.listing().names
        else {
          continue
        }
        for name in names where Self.isFollowed(name) {
          guard let status = try? folder.status(name), status.isDirectory else { continue }
          let below = "\(next)/\(name)"
          guard add(below) else {
            // The system has a limit of watches, or the folder was removed.
            if errno != ENOENT { untold.insert(root) }
            continue
          }
          waiting.append(below)
        }
      }
    }

    /// Returns whether a folder is watched. Hidden folders and stores hold no conversations to be imported.
    private static func isFollowed(_ name: String) -> Bool {
      !name.hasPrefix(".") && !name.hasSuffix(".keepsake")
    }

    /// A root and each folder above it, beginning with the root.
    private static func way(to root: String) -> [String] {
      var way = [root]
      while let path = way.last, path != "/", let slash = path.lastIndex(of: "/") {
        way.append(slash == path.startIndex ? "/" : String(path[..<slash]))
      }
      return way
    }

    /// Returns whether other machines may change the folder, about which the system reports nothing.
    private static func isElsewhere(_ path: String) -> Bool {
      let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard folder >= 0 else { return false }
      defer { close(folder) }
      return networkFileSystems.contains(keepsake_file_system(folder))
    }

    // NFS, SMB in its versions, AFS, Ceph, 9P, FUSE, and the folders that virtual machines share.
    private static let networkFileSystems: Set<UInt> = [
      0x6969, 0x517B, 0xFF53_4D42, 0xFE53_4D42, 0x5346_414F, 0x00C3_6400, 0x0102_1997, 0x6573_5546,
      0x786F_4256,
    ]

    /// Stops watching a folder and everything below, which were removed or have other paths now.
    private mutating func drop(_ path: String) {
      for (below, watch) in watches where below == path || below.hasPrefix(path + "/") {
        inotify_rm_watch(raw, watch)
        folders[watch] = nil
        watches[below] = nil
        ancestors.remove(below)
      }
    }

    // MARK: Telling

    mutating func run(
      _ tell: ([FolderEvents.Event]) -> Void, untold note: (Set<String>) -> Void
    ) {
      var buffer = [UInt8](repeating: 0, count: 64 << 10)
      while true {
        var waiting = [
          pollfd(fd: raw, events: Int16(POLLIN), revents: 0),
          pollfd(fd: ending, events: Int16(POLLIN), revents: 0),
        ]
        let found = unsafe poll(&waiting, 2, -1)
        if found < 0, errno != EINTR { return }
        if waiting[1].revents != 0 { return }
        guard found > 0 else { continue }
        let count = unsafe read(raw, &buffer, buffer.count)
        guard count > 0 else { continue }
        let before = untold
        let events = take(buffer[..<count])
        if untold != before { note(untold) }
        if !events.isEmpty { tell(events) }
      }
    }

    private mutating func take(_ bytes: ArraySlice<UInt8>) -> [FolderEvents.Event] {
      var told: [FolderEvents.Event] = []
      var seen: Set<FolderEvents.Event> = []
      func add(_ event: FolderEvents.Event) {
        if seen.insert(event).inserted { told.append(event) }
      }
      var rest = bytes
      while let event = Notice(&rest) {
        if event.has(IN_Q_OVERFLOW) {
          listenToAll()
          roots.forEach { add(.look($0)) }
          continue
        }
        guard let folder = folders[event.watch] else { continue }
        if event.has(IN_DELETE_SELF) || event.has(IN_MOVE_SELF) || event.has(IN_IGNORED) {
          drop(folder)
          for root in roots where root == folder || root.hasPrefix(folder + "/") {
            listen(to: root)
            add(.look(root))
          }
          continue
        }
        if ancestors.contains(folder) { look(for: event.name, in: folder, add) }
        guard let root = roots.first(where: { folder == $0 || folder.hasPrefix($0 + "/") }) else {
          continue
        }
        let path = "\(folder)/\(event.name)"
        guard event.has(IN_ISDIR) else {
          if !event.has(IN_MOVED_FROM) { add(.changed(path)) }
          continue
        }
        guard Self.isFollowed(event.name) else { continue }
        if event.has(IN_MOVED_FROM) {
          drop(path)
        } else if event.has(IN_CREATE) || event.has(IN_MOVED_TO) {
          if self.add(path) {
            addFolders(below: path, of: root)
          } else if errno != ENOENT {
            untold.insert(root)
          }
          // What was put into the folder before it was watched was not reported.
          add(.look(path))
        }
      }
      return told
    }

    /// Watches a root again where it, or a folder on the way to it, was made.
    private mutating func look(
      for name: String, in folder: String, _ tell: (FolderEvents.Event) -> Void
    ) {
      let path = folder == "/" ? "/\(name)" : "\(folder)/\(name)"
      for root in roots where root == path || root.hasPrefix(path + "/") {
        listen(to: root)
        if watches[root] != nil { tell(.look(root)) }
      }
    }
  }

  /// An event as the kernel writes it: three numbers, the length of the name, and the name padded with zeros.
  private struct Notice {
    let watch: Int32
    let mask: UInt32
    let name: String

    init?(_ bytes: inout ArraySlice<UInt8>) {
      func word(_ index: Int) -> UInt32 {
        let start = bytes.startIndex + 4 * index
        return bytes[start..<(start + 4)].reversed().reduce(0) { $0 << 8 | UInt32($1) }
      }
      guard bytes.count >= 16 else { return nil }
      let length = Int(word(3))
      guard bytes.count >= 16 + length else { return nil }
      watch = Int32(bitPattern: word(0))
      mask = word(1)
      let text = bytes.dropFirst(16).prefix(length).prefix { $0 != 0 }
      name = String(decoding: text, as: UTF8.self)
      bytes = bytes.dropFirst(16 + length)
    }

    func has(_ bit: some BinaryInteger) -> Bool { mask & UInt32(truncatingIfNeeded: bit) != 0 }
  }
#endif
