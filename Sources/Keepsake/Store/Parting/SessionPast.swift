#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// The links of a session's chain in one store, from a change on after which its head is known.
struct SessionPast: Sendable {
  let session: UUID
  /// The chain before the first of the links.
  let base: Chain
  /// The links in their order; the first is of the change after ``base``.
  private(set) var links: [ChainLink]
  /// The chain after the last link.
  private(set) var end: Chain
  /// Tells whether the session was deleted.
  private(set) var isDeleted = false
  /// Tells whether the past is told from the session's beginning.
  let isFromBeginning: Bool

  /// Reads the past that commits of one session tell, each of which builds on the one before it.
  ///
  /// A commit that has a whole session tells its past from the beginning.
  /// - Parameters:
  ///   - commits: The commits.
  ///   - since: The chain before the first of them, where that is a deletion: a deletion does not say what it builds on.
  init(of commits: [SessionCommit], since: Chain? = nil) throws {
    guard let first = commits.first else { throw CopyFault("no commit tells a past") }
    session = first.session
    isFromBeginning = first.isWhole
    base = try first.isRemoval ? since ?? first.beginning() : first.beginning()
    end = base
    links = []
    for commit in commits { try add(commit) }
  }

  private mutating func add(_ commit: SessionCommit) throws {
    guard commit.session == session else {
      throw CopyFault("a commit of session \(commit.session) is among those of session \(session)")
    }
    guard let promised = commit.end else {
      isDeleted = true
      return
    }
    // A deleted session goes on as one that is there for its forks alone.
    if isDeleted, !commit.isOfPurged {
      throw CopyFault("session \(session) was deleted, and goes on behind that")
    }
    guard commit.base.map({ $0 == end }) ?? links.isEmpty else {
      throw CopyFault("the commits of session \(session) don't build on each other")
    }
    let new = try CommitLinks(of: commit, after: end).inOrder(after: end, of: session)
    for link in new {
      end.add(code: link.operation, position: link.position, digest: link.digest)
    }
    guard end == promised else {
      throw CopyFault("the changes of session \(session) lead to another head than they promise")
    }
    links += new
    isDeleted = commit.isOfPurged
  }

  /// Returns the chain after a change; nil for one that this past does not tell.
  func chain(after change: Int) -> Chain? {
    guard (base.count...end.count).contains(change) else { return nil }
    var chain = base
    for link in links[..<(change - base.count)] {
      chain.add(code: link.operation, position: link.position, digest: link.digest)
    }
    return chain
  }

  /// Returns the links of the changes after one; none if it is the last.
  func links(after change: Int) -> ArraySlice<ChainLink> {
    links[min(links.count, max(0, change - base.count))...]
  }

  /// Returns the rows that were erased after a change and were there before it, in the order in which they were erased.
  func erasures(after change: Int) -> [ErasedElsewhere.Row] {
    let later = links(after: change)
    let appended = later.filter { $0.operation == Chain.Operation.append.rawValue }.map(\.position)
    return later.filter(\.erases).map(ErasedElsewhere.Row.init).filter { row in
      switch row {
      case .entry(let position): !appended.contains(position)
      case .recorded(let recorded): recorded <= change
      }
    }
  }
}

extension SessionCommit {
  /// Returns the chain on which the commit builds: that of a session that is new has no link yet.
  func beginning() throws -> Chain {
    if let base { return base }
    guard let record = records.first, record.kind == .session else {
      throw CopyFault("a commit of session \(session) does not say what it builds on")
    }
    return try record.chainBeginning(as: session)
  }
}

extension CopyRecord {
  /// Returns the chain with which a session of this record begins, under an id of its own or another one.
  func chainBeginning(as id: UUID) throws(CopyFault) -> Chain {
    let created = integer("created") ?? 0
    guard bytes("fork.of") != nil else { return Chain(beginning: id.bytes, created: created) }
    guard let position = int("fork.position"), let changes = int("fork.change"),
      let head = bytes("fork.head").flatMap(SHA256Digest.init(bytes:))
    else { throw CopyFault("fork \(id) does not say where it forked") }
    return Chain(
      forking: Chain(head: head, count: changes), at: position, into: id.bytes, created: created)
  }
}
