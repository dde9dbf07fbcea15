import KeepsakeSQLite
import Keepsake

/// Gives the messages of a thread as one line of JSON each, with the turns that ended with them, and at last the
/// thread.
struct LLMThreadRows: DatabaseRows {
  let chain: LLMChain
  private(set) var title: String?
  private(set) var remarks: [String] = []
  private let thread: String
  private var writer: LLMRowWriter
  private var index = 0

  init(_ thread: String, in db: ForeignDatabase) throws {
    self.thread = thread
    writer = LLMRowWriter(db)
    var tip: String?
    var title: String?
    try db.rows(of: "threads", where: "id", is: .text(thread)) { row in
      tip = db.text("tip_message_hash", of: "threads", row)
      title = db.text("name", of: "threads", row)
    }
    self.title = title
    chain = try LLMChain(to: tip, ofThread: thread, in: db)
  }

  mutating func next() throws -> [UInt8]? {
    remarks = index == 0 && chain.isBroken ? ["What was said before is not in the database."] : []
    defer { index += 1 }
    if index < chain.messages.count {
      let hash = chain.messages[index]
      let turns = chain.turns(endingWith: hash)
      return try writer.line { try $0.message(hash, turns) }
    }
    return index == chain.messages.count ? try last() : nil
  }

  /// The line of the thread itself. It holds the turns that are not on the way to the thread's tip, with their
  /// messages.
  private mutating func last() throws -> [UInt8] {
    var seen = Set(chain.messages)
    let beside = chain.turns.filter { turn in turn.tip.map { !seen.contains($0) } ?? true }
    if !beside.isEmpty {
      remarks.append(
        "\(beside.count == 1 ? "A turn" : "\(beside.count) turns") of it went another way than the rest, and is kept as it is."
      )
    }
    let thread = thread
    return try writer.line { writer in
      try writer.one("thread", of: "threads", is: .text(thread))
      guard !beside.isEmpty else { return }
      try writer.array("beside") { writer in
        for turn in beside {
          let messages = try LLMChain.messages(to: turn.tip, in: writer.db) { hash in
            seen.insert(hash).inserted
          }
          for hash in messages.hashes.dropLast() {
            try writer.object { try $0.message(hash, []) }
          }
          try writer.object { writer in
            if let hash = messages.hashes.last {
              try writer.message(hash, [turn.id])
            } else {
              try writer.turns([turn.id])
            }
          }
        }
      }
    }
  }
}

// MARK: - Messages

extension LLMRowWriter {
  fileprivate mutating func message(_ hash: String, _ turns: [String]) throws {
    try one("message", of: "messages", where: "hash", is: .text(hash))
    try list(
      "parts", of: "parts", where: "message_hash", is: .text(hash), orderedBy: "position"
    ) { writer, row in
      guard let id = writer.db.integer("id", of: "parts", row) else { return }
      try writer.attachments(of: "part_attachments", where: "part_id", is: .integer(id))
      try writer.fragments(of: "part_fragments", where: "part_id", is: .integer(id))
    }
    if !turns.isEmpty { try self.turns(turns) }
  }

  fileprivate mutating func turns(_ turns: [String]) throws {
    try array("turns") { writer in
      for turn in turns {
        try writer.db.rows(of: "turns", where: "id", is: .text(turn)) { row in
          try writer.object { writer in
            writer.write(row)
            try writer.schema(of: "turns", row)
            try writer.list("tools", of: "turn_tools", where: "turn_id", is: .text(turn)) {
              try $0.tool(of: "turn_tools", $1)
            }
            try writer.fragments(
              of: "turn_fragments", where: "turn_id", is: .text(turn), leavingOutKnown: true)
            try writer.list(
              "instances", of: "tool_instantiations", where: "turn_id", is: .text(turn)
            ) { try $0.instance(of: "tool_instantiations", $1) }
          }
        }
      }
    }
  }
}
