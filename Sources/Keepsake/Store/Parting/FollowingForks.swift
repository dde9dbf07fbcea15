#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles

/// Our forks of a session that parts, as forks of what is ours.
///
/// A fork that was made of a change which only this store has needs that change. It becomes a fork of the session that our
/// part becomes, and keeps its id and its rows. Only the beginning of its chain is another one, and with that its head, and
/// the beginnings of its own forks. The hub has none of these: it would not have taken a fork of a change that it lacks.
struct FollowingForks {
  private let parting: Parting
  /// The pasts of the sessions that have another chain than before.
  private var pasts: [UUID: SessionPast]

  init(_ parting: Parting, as parted: SessionCommit) throws {
    self.parting = parting
    pasts = [parted.session: try SessionPast(of: [parted])]
  }

  /// Returns the forks that have to be others, from whole commits of all of our forks, in which parents come before their forks.
  mutating func following(_ forks: [SessionCommit]) throws -> [SessionCommit] {
    try forks.compactMap { try follow($0) }
  }

  private mutating func follow(_ fork: SessionCommit) throws -> SessionCommit? {
    guard var session = fork.records.first, session.kind == .session,
      let parent = session.bytes("fork.of").flatMap(UUID.init(bytes:)),
      let change = session.int("fork.change")
    else { return nil }
    let isOfParting = parent == parting.original && change > parting.common
    let owner = isOfParting ? parting.id : parent
    guard isOfParting || pasts[owner] != nil else { return nil }
    let point = isOfParting ? parting.number(of: change) : change
    guard let chain = pasts[owner]?.chain(after: point) else {
      throw CopyFault("fork \(fork.session) forked from a change that is not there")
    }
    session["fork.of"] = .blob(owner.bytes)
    session["fork.change"] = .integer(Int64(chain.count))
    session["fork.head"] = .blob(chain.head.bytes)
    let beginning = try session.chainBeginning(as: fork.session)
    let end = try CommitLinks(of: fork, after: beginning).fold(onto: beginning, of: fork.session)
    session["chain.head"] = .blob(end.head.bytes)
    var records = fork.records
    records[0] = session
    for index in records.indices where records[index].kind == .standing {
      moveCover(of: &records[index])
    }
    let followed = SessionCommit(
      session: fork.session, base: nil, end: end, records: records, gone: [], erased: [])
    pasts[fork.session] = try SessionPast(of: [followed])
    return followed
  }

  /// Names the cover by the session that has it now.
  private func moveCover(of standing: inout CopyRecord) {
    guard standing.bytes("cover.of") == parting.original.bytes,
      let recorded = standing.int("cover.recorded"), !parting.isFork || recorded > parting.common
    else { return }
    standing["cover.of"] = .blob(parting.id.bytes)
    standing["cover.recorded"] = .integer(Int64(parting.number(of: recorded)))
  }
}
