import Foundation
import Keepsake

/// One of several processes that append to one store at the same time, each entry in a turn of its own.
struct Contention {
  private let path: String
  private let seed: UInt64
  private var isOneSession = true
  private var seconds = 2

  init(_ arguments: inout Arguments) throws {
    path = try arguments.required("STORE")
    seed = UInt64(try arguments.number("SEED"))
    while let option = arguments.next() {
      switch option {
      case "--sessions": isOneSession = try arguments.required(option) == "one"
      case "--seconds": seconds = try arguments.number(option)
      default: throw Failure("there is no option '\(option)'.")
      }
    }
  }

  /// Says `ready`, waits for a line, and appends until the time is over.
  ///
  /// Each acknowledgement ends with the moment and the wait, both in nanoseconds of the machine's steady clock.
  func run() async throws {
    let store = try await Store(at: URL(filePath: path))
    let session = try await session(in: store)
    FileHandle.standardOutput.write(Data("ready\n".utf8))
    guard readLine() != nil else { throw Failure("nobody said when to begin.") }
    var random = Seeded(seed)
    let end = Self.now() + Int64(seconds) * 1_000_000_000
    var before = Self.now()
    while before < end {
      let text = Content.text(random.size(8...2000), using: &random)
      before = Self.now()
      let entry = try await session.append(.event(text))
      let after = Self.now()
      try Acknowledgement(entry, in: session, text: text).print(after, after - before)
      before = after
    }
    await store.close()
  }

  private func session(in store: Store) async throws -> Session {
    if isOneSession {
      guard let only = try await store.sessions(limit: 1).sessions.first else {
        throw Failure("the store has no session to share.")
      }
      return try await store.session(only.id)
    }
    let session = try await store.createSession(title: "Process \(seed)")
    try Acknowledgement.session(session.id).print()
    return session
  }

  /// Nanoseconds since the machine started: the same in all processes.
  private static func now() -> Int64 { Int64(DispatchTime.now().uptimeNanoseconds) }
}
