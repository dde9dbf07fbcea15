import KeepsakeFiles
import Foundation
import Keepsake

/// Several tasks that append and attach to the sessions of one store until they are killed.
struct Workload {
  private let path: String
  private let seed: UInt64
  private var tasks = 6
  /// The largest artifact.
  private var largest = 5 << 20
  /// About how many bytes of artifacts to write; afterwards they are small, or, when it is to finish, it ends.
  private var budget = 64 << 20
  private var finishes = false

  init(_ arguments: inout Arguments) throws {
    path = try arguments.required("STORE")
    seed = UInt64(try arguments.number("SEED"))
    while let option = arguments.next() {
      switch option {
      case "--tasks": tasks = try arguments.number(option)
      case "--largest": largest = try arguments.number(option)
      case "--budget": budget = try arguments.number(option)
      case "--finish": finishes = true
      default: throw Failure("there is no option '\(option)'.")
      }
    }
  }

  func run() async throws {
    // Once more when it is to finish: what a closed store leaves behind is a state of its own.
    for round in 0..<(finishes ? 2 : 1) {
      try await run(round: UInt64(round), budget: finishes ? budget / 2 : budget)
    }
  }

  private func run(round: UInt64, budget: Int) async throws {
    let store = try await Store(at: URL(filePath: path))
    let sessions = try await sessions(of: store)
    let spent = Spending(budget)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<tasks {
        let random = Seeded((seed &* 1_000_003 &+ round) &* 1009 &+ UInt64(task))
        let writer = Task(
          store: store, sessions: sessions, random: random, largest: largest, spent: spent,
          finishes: finishes)
        group.addTask {
          var writer = writer
          try await writer.run()
        }
      }
      try await group.waitForAll()
    }
    await store.close()
  }

  /// The title of the sessions that all tasks of all processes write to; nothing in them is ever taken away.
  private static let shared = "Shared"

  private func sessions(of store: Store) async throws -> [Session] {
    var sessions: [Session] = []
    var cursor: Session.Cursor?
    repeat {
      let page = try await store.sessions(limit: 50, after: cursor)
      for summary in page.sessions where summary.title == Self.shared && sessions.count < 3 {
        sessions.append(try await store.session(summary.id))
      }
      cursor = page.next
    } while cursor != nil && sessions.count < 3
    while sessions.count < 3 {
      let session = try await store.createSession(title: Self.shared)
      try Acknowledgement.session(session.id).print()
      sessions.append(session)
    }
    return sessions
  }

  /// What all tasks together have written.
  final class Spending: Sendable {
    private let left: Locked<Int>

    init(_ budget: Int) { left = Locked(budget) }

    func spend(_ bytes: Int) { left.withLock { $0 -= bytes } }
    var isOver: Bool { left.withLock { $0 <= 0 } }
  }
}

extension Workload {
  /// One of the tasks.
  struct Task: Sendable {
    let store: Store
    let sessions: [Session]
    var random: Seeded
    let largest: Int
    let spent: Spending
    let finishes: Bool

    mutating func run() async throws {
      while !(finishes && spent.isOver) {
        let session = sessions[Int(random.next() % UInt64(sessions.count))]
        switch random.next() % 14 {
        case 0...3: try await appendOne(to: session)
        case 4: try await appendMany(to: session)
        case 5, 6: try await appendWithArtifacts(to: session)
        case 7: try await attach(to: session)
        case 8: try await runTool(in: session)
        case 9, 10: try await liveAndDie()
        case 11: try await stream(in: session)
        case 12: try await attachMany(to: session)
        default: try await attachWhatOthersAttach(to: session)
        }
      }
    }

    mutating func text() -> String {
      Content.text(random.size(8...100_000), using: &random)
    }

    mutating func bytes() -> [UInt8] {
      let size = spent.isOver ? 1024 : random.size(1024...largest)
      spent.spend(size + 4096)
      return Content.bytes(size, seed: random.next())
    }

    private mutating func appendOne(to session: Session) async throws {
      let text = text()
      spent.spend(text.utf8.count)
      let entry = random.next() % 3 == 0 ? Entry.prompt(text) : Entry.response(text)
      try Acknowledgement(try await session.append(entry), in: session, text: text).print()
    }

    private mutating func appendMany(to session: Session) async throws {
      let texts = (0..<Int.random(in: 2...6, using: &random)).map { _ in text() }
      let entries = try await session.append(texts.map { Entry.event($0) })
      for (entry, text) in zip(entries, texts) {
        try Acknowledgement(entry, in: session, text: text).print()
      }
    }

    private mutating func appendWithArtifacts(to session: Session) async throws {
      let text = text()
      let artifacts = (0..<Int.random(in: 1...2, using: &random)).map { _ in bytes() }
      let entry = try await session.append(
        .response(text),
        attaching: artifacts.map { Entry.NewAttachment(.bytes($0), madeBy: .response) })
      try Acknowledgement(
        entry, in: session, text: text,
        artifacts: artifacts.map { Artifact.ID(SHA256.digest(of: $0)) }
      ).print()
    }

    private mutating func attach(to session: Session) async throws {
      let bytes = bytes()
      let count = try await session.count()
      let position = count == 0 ? nil : Int.random(in: 0..<count, using: &random)
      let attachment = try await session.attach(.init(.bytes(bytes)), to: position)
      try Acknowledgement(attachment, bytes: bytes).print()
    }

    /// Large ones, most of them in folders of their own, with one that comes twice.
    private mutating func attachMany(to session: Session) async throws {
      var all = (0..<Int.random(in: 2...5, using: &random)).map { _ in
        let size = random.size(1024...300_000)
        spent.spend(size + 4096)
        return Content.bytes(size, seed: random.next())
      }
      all.append(all[0])
      let attached = try await session.attach(all.map { .init(.bytes($0)) })
      for (attachment, bytes) in zip(attached, all) {
        try Acknowledgement(attachment, bytes: bytes).print()
      }
    }

    /// A call, the bytes that it makes while it runs, and its output, which binds them.
    private mutating func runTool(in session: Session) async throws {
      let call = Entry.ToolCall(tool: "GenerateImage", arguments: #"{"seed": \#(random.next())}"#)
      try Acknowledgement(try await session.append(.toolCalls([call])), in: session, text: "")
        .print()
      let bytes = bytes()
      let pieces = AsyncStream<[UInt8]> { stream in
        for start in stride(from: 0, to: bytes.count, by: 60_000) {
          stream.yield(Array(bytes[start..<min(start + 60_000, bytes.count)]))
        }
        stream.finish()
      }
      let made = try await session.attach(.init(.chunks(pieces), madeBy: .toolCall(call)))
      try Acknowledgement(made, bytes: bytes).print()
      let text = "made \(made.label)"
      let output = try await session.append(.toolOutput(for: call, text: text))
      try Acknowledgement(
        output, in: session, text: text, artifacts: [Artifact.ID(SHA256.digest(of: bytes))]
      ).print()
    }

    /// The same bytes from several tasks at once: one artifact, and many attachments that name it.
    private mutating func attachWhatOthersAttach(to session: Session) async throws {
      let bytes = sharedBytes()
      let attachment = try await session.attach(.init(.bytes(bytes)))
      try Acknowledgement(attachment, bytes: bytes).print()
    }

    mutating func sharedBytes() -> [UInt8] {
      spent.spend(4096)
      let number = random.next() % 12
      return Content.bytes(40_000 * Int(number + 1), seed: number)
    }
  }
}
