import Keepsake

/// A codec of a product's export whose conversations have branches.
///
/// The branch that a person saw last becomes the session, and each other branch becomes a fork of it.
protocol ConversationTreeCodec: ReadOnlyCodec, PartedCodec {
  /// Finds the messages of a conversation.
  /// - Parameter conversation: The conversation, which is valid JSON.
  /// - Returns: The tree of the messages; nil where the conversation has none.
  static func tree(_ conversation: JSONObject) -> ConversationTree?

  /// The type that reads the messages of a branch.
  associatedtype Reader: BranchReader
}

extension ConversationTreeCodec {
  /// A file whose value is a list holds many conversations; any other file holds one.
  static func parts(of file: ForeignFile) throws -> (any PartsReading)? {
    try FileHead(file).document.kind(at: "") == .array ? ElementParts(file, arrayAt: [[]]) : nil
  }

  static var namesSession: Bool { true }
  static var identity: RecordIdentity { .json() }

  static func read(_ file: ForeignFile) throws -> any SourceReading {
    let found = try FoundConversation<Self>(file)
    return found.reading(to: found.tree.mainLeaf(known: []))
  }

  static func takeWhole(_ file: ForeignFile, _ store: Store, _ session: Session?) async throws
    -> ImportReport
  {
    let found = try FoundConversation<Self>(file)
    var known: [Session] = []
    if let id = found.tree.facts.id {
      known = try await store.sessions(foreignID: id, from: format.name)
    }
    // The newest sessions come first, so the last one is the first that was imported; the others are branches that
    // share nothing.
    let first = session ?? known.last
    let leaf = found.tree.mainLeaf(known: try await first?.nodeIDs() ?? [])
    var report = try await take(found, to: leaf, file, into: store, session)
    guard session == nil, found.tree.leaves.count > 1, let main = report.sessions.first?.id else {
      return report
    }
    var begun = [try await store.session(main)]
    begun += known.filter { $0.id != main }
    let branches = try await Branches(of: begun, in: store)
    for (leaf, ids) in try found.branches(beside: leaf) {
      report.add(try await take(found, branch: leaf, ids, file, into: store, branches))
    }
    return report
  }

  private static func take(
    _ found: FoundConversation<Self>, to leaf: Int?, _ file: ForeignFile, into store: Store,
    _ session: Session?
  ) async throws -> ImportReport {
    let source = ForeignSource(
      format: format.name, name: file.lastName, identity: identity, namesSession: true
    ) { found.reading(to: leaf) }
    return try await store.importing(source, into: session)
  }

  /// Imports a branch as a fork, unless a session already has all of its messages.
  private static func take(
    _ found: FoundConversation<Self>, branch leaf: Int, _ ids: [String], _ file: ForeignFile,
    into store: Store, _ branches: Branches
  ) async throws -> ImportReport {
    guard !ids.isEmpty, let (nearest, common) = await branches.nearest(to: ids) else {
      return ImportReport()
    }
    if await branches.hold(ids) { return ImportReport() }
    if common == 0 { return try await take(found, alone: leaf, ids, file, into: store, branches) }
    let goesOn = common == nearest.ids.count && nearest.isFork
    let fork = goesOn ? nearest.session : try await nearest.session.fork(before: common)
    do {
      let report = try await take(found, to: leaf, file, into: store, fork)
      await branches.add(fork, ids)
      return report
    } catch let error as KeepsakeError where error.code == .diverged {
      // The export has other content under known ids than it had before, so the branch becomes a session of its own.
      if !goesOn { try await store.deleteSession(fork.id) }
      return try await take(found, alone: leaf, ids, file, into: store, branches)
    }
  }

  /// Imports a branch that shares nothing with stored sessions as a session of its own.
  private static func take(
    _ found: FoundConversation<Self>, alone leaf: Int, _ ids: [String], _ file: ForeignFile,
    into store: Store, _ branches: Branches
  ) async throws -> ImportReport {
    let facts = found.tree.facts
    let session = try await store.createSession(
      title: facts.title, origin: format.name, foreignID: facts.id)
    let report = try await take(found, to: leaf, file, into: store, session)
    await branches.add(session, ids)
    return report
  }
}

/// The sessions that the branches of a conversation have become so far.
private actor Branches {
  struct Branch {
    let session: Session
    /// The keys of the session's entries, including the entries that it shares with its parent.
    let ids: [String]
    let isFork: Bool
  }

  private var all: [Branch] = []

  /// - Parameters:
  ///   - begun: The sessions that were imported from the conversation, now or earlier.
  ///   - store: The store of the sessions, for finding their forks.
  init(of begun: [Session], in store: Store) async throws {
    for session in begun {
      all.append(Branch(session: session, ids: try await session.nodeIDs(), isFork: false))
    }
    var next = 0
    while next < all.count {
      for fork in try await all[next].session.forks() {
        let session = try await store.session(fork.id)
        all.append(Branch(session: session, ids: try await session.nodeIDs(), isFork: true))
      }
      next += 1
    }
  }

  /// The session that shares the longest beginning with a branch, and the length of that beginning.
  func nearest(to ids: [String]) -> (Branch, common: Int)? {
    all.map { branch in (branch, zip(branch.ids, ids).prefix { $0 == $1 }.count) }
      .max { $0.1 < $1.1 }
  }

  /// Returns whether one of the sessions has all messages of a branch.
  func hold(_ ids: [String]) -> Bool {
    all.contains { branch in Set(branch.ids).isSuperset(of: ids) }
  }

  func add(_ session: Session, _ ids: [String]) {
    all.removeAll { $0.session.id == session.id }
    all.append(Branch(session: session, ids: ids, isFork: true))
  }
}

extension Session {
  /// The keys of the session's entries, which are the ids of the foreign program's messages.
  fileprivate func nodeIDs() async throws -> [String] {
    var ids: [String] = []
    for try await entry in entries { ids.append(entry.key ?? "") }
    return ids
  }
}
