import KeepsakeSQLite
import Keepsake

/// The messages of a thread, followed back from its tip, and the turns of the thread.
struct LLMChain {
  /// A turn of the thread.
  struct Turn {
    let id: String
    let parent: String?
    let tip: String?
    let time: String?
  }

  /// The hashes of the messages, from the first to the tip.
  let messages: [String]
  /// Whether a message names a parent that is not in the database.
  let isBroken: Bool
  /// The turns in the order of their ids, which is the order of time.
  let turns: [Turn]
  /// The time of each message by its hash, taken from the turn that sent or produced the message.
  let times: [String: String]
  private let ending: [String: [String]]

  init(to tip: String?, ofThread thread: String, in db: ForeignDatabase) throws {
    var seen: Set<String> = []
    let found = try Self.messages(to: tip, in: db) { seen.insert($0).inserted }
    messages = found.hashes
    isBroken = found.isBroken
    let turns = try Self.turns(of: thread, in: db)
    self.turns = turns
    ending = turns.reduce(into: [:]) { ending, turn in
      if let tip = turn.tip { ending[tip, default: []].append(turn.id) }
    }
    times = Self.times(of: found, turns)
  }

  /// The ids of the turns whose tip is a message.
  func turns(endingWith hash: String) -> [String] { ending[hash] ?? [] }

  /// Follows parents from a tip, and returns the messages from the first wanted one to the tip.
  static func messages(
    to tip: String?, in db: ForeignDatabase, while isWanted: (String) -> Bool
  ) throws -> (hashes: [String], roles: [String?], isBroken: Bool) {
    var hashes: [String] = []
    var roles: [String?] = []
    var next = tip
    // The caller no longer wants a message that was seen, so a circle of parents ends.
    while let hash = next, isWanted(hash) {
      try Task.checkCancellation()
      var isThere = false
      next = nil
      try db.rows(of: "messages", where: "hash", is: .text(hash)) { row in
        isThere = true
        next = db.text("parent_hash", of: "messages", row)
        roles.append(db.text("role", of: "messages", row))
      }
      guard isThere else { return (hashes.reversed(), roles.reversed(), true) }
      hashes.append(hash)
    }
    return (hashes.reversed(), roles.reversed(), false)
  }

  private static func turns(of thread: String, in db: ForeignDatabase) throws -> [Turn] {
    var turns: [Turn] = []
    try db.rows(of: "turns", where: "thread_id", is: .text(thread), orderedBy: "id") { row in
      turns.append(
        Turn(
          id: db.text("id", of: "turns", row) ?? "",
          parent: db.text("parent_message_hash", of: "turns", row),
          tip: db.text("tip_message_hash", of: "turns", row),
          time: db.text("datetime_utc", of: "turns", row)))
    }
    return turns
  }

  /// Gives an answer the time of its turn, and gives the same time to the messages since the answer before it.
  ///
  /// Messages that are shared with another thread belong to that thread's turns, and get no time here.
  private static func times(
    of messages: (hashes: [String], roles: [String?], isBroken: Bool), _ turns: [Turn]
  ) -> [String: String] {
    var byTip: [String: String] = [:]
    var byParent: [String: String] = [:]
    for turn in turns {
      guard let time = turn.time else { continue }
      if let tip = turn.tip, byTip[tip] == nil { byTip[tip] = time }
      if let parent = turn.parent, byParent[parent] == nil { byParent[parent] = time }
    }
    var times: [String: String] = [:]
    var time: String?
    for (hash, role) in zip(messages.hashes, messages.roles).reversed() {
      if let own = byTip[hash] ?? byParent[hash] {
        time = own
      } else if role == "assistant" {
        time = nil
      }
      times[hash] = time
    }
    return times
  }
}
