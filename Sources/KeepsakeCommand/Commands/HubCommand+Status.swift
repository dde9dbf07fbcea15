#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Telling how far the store is in step with its hub, and which stores use the hub.
extension HubCommand {
  static func tellStatus(_ arguments: Arguments<Self>, _ context: Context) async throws {
    let terminal = context.terminal
    let (membership, asked) = try await context.withStore(
      arguments, for: .reading, reachingHub: false
    ) { store in
      let membership = try await store.membership()
      return (membership, try await ask(store, membership, arguments, context))
    }
    if arguments.json {
      return try terminal.json { writer in
        writer.beginObject()
        writer.flag("joined", membership != nil)
        if let membership { writer.write(membership, asked) }
        writer.endObject()
      }
    }
    guard let membership else {
      return try terminal.line("The store has joined no hub. 'keepsake join URL' joins one.")
    }
    try terminal.facts(facts(membership, asked, terminal))
    switch asked {
    case .told(let standing): try tell(standing.peers, context)
    case .unreachable(let reason): try terminal.note(reason)
    case .notAsked: break
    }
    try SyncCommand.tell("left aside", membership.aside, terminal)
  }

  /// The hub's answer to the question which stores use it.
  fileprivate enum Asked: Sendable {
    case told(HubStanding)
    case unreachable(String)
    case notAsked
  }

  /// Asks the hub which stores use it. With `--forget`, a store is taken off the hub's list first.
  private static func ask(
    _ store: Store, _ membership: HubMembership?, _ arguments: Arguments<Self>, _ context: Context
  ) async throws -> Asked {
    guard let membership, !arguments.local else {
      if arguments.forget == nil { return .notAsked }
      throw CommandError(
        message: membership == nil
          ? "The store has joined no hub, so there is no store to forget."
          : "A store can't be forgotten without asking the hub. Leave out --local.")
    }
    let address = try context.hub(membership.address)
    if let name = arguments.forget {
      let peer = try find(name, try await store.standing(with: address).peers)
      try await Store.forgetPeer(peer.id, ofHubAt: address)
    }
    do { return .told(try await store.standing(with: address)) } catch let error as KeepsakeError
      where error.isOfUnreachableHub && arguments.forget == nil
    { return .unreachable(error.told) }
  }

  /// Finds the store that has a name, or an id that begins with a text.
  private static func find(_ text: String, _ peers: [HubStanding.Peer]) throws -> HubStanding.Peer {
    let named = peers.filter { $0.name == text }
    let found =
      named.isEmpty
      ? peers.filter { !text.isEmpty && $0.id.text.hasPrefix(text.lowercased()) }
      : named
    if let peer = found.first, found.count == 1 { return peer }
    throw CommandError(
      message: found.isEmpty
        ? "No store at the hub has the name or id '\(Terminal.printable(text))'. 'keepsake hub status' lists them."
        : "\(found.count) stores at the hub have the name or id '\(Terminal.printable(text))'. Name one by its id: "
          + found.map { Words.short($0.id) }.joined(separator: ", "))
  }

  private static func facts(
    _ membership: HubMembership, _ asked: Asked, _ terminal: Terminal
  ) -> [(String, String)] {
    var facts = [
      ("hub", membership.address), ("id", membership.hub.text),
      ("name", membership.name),
      ("way", membership.way == .shared ? "shared; the folder is a cache" : "mirror"),
      ("joined", Words.time(membership.since, terminal)),
      (
        "in step",
        membership.synced.map { Words.time($0, terminal) } ?? "never; run 'keepsake sync'"
      ),
      ("to send", membership.waiting == 0 ? "nothing" : Words.count(membership.waiting, "change")),
    ]
    if case .told(let standing) = asked, let newer = standing.newer {
      facts.append(("to receive", newer == 0 ? "nothing" : Words.count(newer, "session")))
    }
    return facts
  }

  private static func tell(_ peers: [HubStanding.Peer], _ context: Context) throws {
    let terminal = context.terminal
    if peers.isEmpty { return }
    try terminal.line()
    var table = TextTable([
      .init(heading: "STORE", gives: true), .init(heading: "ID", style: .faint),
      .init(heading: "SEEN"), .init(heading: "NOTE", gives: true),
    ])
    for peer in peers {
      var remarks = peer.isThisStore ? ["this store"] : []
      if peer.way == .shared { remarks.append("shared") }
      if peer.isBehindErasing { remarks.append("may still have what was erased or deleted") }
      table.add([
        peer.name, Words.short(peer.id), Words.age(of: peer.seen, at: context.now()),
        remarks.joined(separator: "; "),
      ])
    }
    try table.print(terminal)
  }
}

extension JSONWriter {
  fileprivate mutating func write(_ membership: HubMembership, _ asked: HubCommand.Asked) {
    fixed("hub", membership.hub)
    fixed("address", membership.address)
    fixed("peer", membership.peer)
    fixed("name", membership.name)
    fixed("way", membership.way.word)
    fixed("since", membership.since)
    if let synced = membership.synced { fixed("synced", synced) }
    fixed("waiting", membership.waiting)
    key("aside")
    write(membership.aside)
    switch asked {
    case .notAsked: break
    case .unreachable(let reason): fixed("unreachable", reason)
    case .told(let standing):
      if let newer = standing.newer { fixed("newer", newer) }
      key("peers")
      array(standing.peers) { peer, writer in
        writer.beginObject()
        writer.fixed("id", peer.id)
        writer.fixed("name", peer.name)
        writer.fixed("way", peer.way.word)
        writer.fixed("seen", peer.seen)
        writer.flag("thisStore", peer.isThisStore)
        writer.flag("behindErasing", peer.isBehindErasing)
        writer.endObject()
      }
    }
  }
}

extension HubMembership.Way {
  fileprivate var word: String { self == .shared ? "shared" : "mirror" }
}
