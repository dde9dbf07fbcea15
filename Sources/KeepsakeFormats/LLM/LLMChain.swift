import KeepsakeSQLite
import Keepsake

/// The messages that lead to the tip of a thread, and the turns of the thread.
struct LLMChain {
  struct Turn {
    let id: String
    let parent: String?
    let tip: String?
    let time: String?
  }

  /// The hashes of the messages, the first one first.
  let messages: [String]
  /// Whether a message names one before it that is not there.
  let isBroken: Bool
  /// In the order of their ids, which is that of time.
  let turns: [Turn]
  /// When each message was sent or came, as the turn that it was sent in, or that it came from, says it.
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

  /// The ids of the turns that ended with a message.
  func turns(endingWith hash: String) -> [String] { ending[hash] ?? [] }

  /// The messages that lead to one, the first one first, from the first that is wanted on.
  static func messages(
    to tip: String?, in db: ForeignDatabase, while isWanted: (String) -> Bool
  ) throws -> (hashes: [String], roles: [String?], isBroken: Bool) {
    var hashes: [String] = []
    var roles: [String?] = []
    var next = tip
    // A circle ends where it began, because what was seen is not wanted again.
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

  /// What a turn says of its time holds for its answer, and for what was said since the answer before. A beginning that is
  /// shared with another thread has its turns there, and no time here.
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
