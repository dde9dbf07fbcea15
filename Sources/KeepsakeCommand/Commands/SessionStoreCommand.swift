import KeepsakeFiles
import Keepsake
import KeepsakeFormats

/// The command `keepsake session-store`, which keeps the sessions of programs built with the Claude Agent SDK.
struct SessionStoreCommand: Command {
  static let declaration = Declaration(
    of: Self(),
    name: "session-store",
    summary: "Keep the sessions of programs that are built with the Claude Agent SDK.",
    discussion: """
      A program talks to this command over standard input and output, with a line of JSON for each
      request and each answer, until standard input ends. The Python package in tools/session-store
      does that, as a SessionStore of the SDK.

      What is appended is durable when the answer comes. It becomes a session as in an import:
      images are kept once, and the session can be searched, shown and exported. An entry with a
      uuid counts once. If earlier entries are missing, the answer and 'keepsake log' say so. What
      the SDK deletes is gone for the SDK, but the conversation stays in the store, unless --erase
      is given.
      """,
    examples: [
      ("keepsake session-store --store Agents.keepsake", "Answer a program's requests.")
    ])

  let erase = Flag("--erase", help: "Delete from the store what the SDK deletes.")

  /// The size in bytes above which a request is refused, because it has to be held in memory.
  private static let limit = 512 << 20

  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode {
    let terminal = context.terminal
    return try await context.withStore(arguments, for: .creating) { store in
      var service = SessionStoreService(store, erases: arguments.erase)
      var line: [UInt8] = []
      while true {
        let piece = try terminal.input()
        if piece.isEmpty { break }
        var start = 0
        while let end = piece[start...].firstIndex(of: UInt8(ascii: "\n")) {
          line += piece[start..<end]
          start = end + 1
          if line.contains(where: { $0 > 0x20 }) {
            try terminal.json(try await service.answer(to: line))
          }
          line.removeAll(keepingCapacity: line.count < 1 << 20)
        }
        line += piece[start...]
        guard line.count <= Self.limit else {
          throw CommandError(
            message: "A request is larger than \(Self.limit >> 20) MB. Nothing of it was taken in.")
        }
      }
      guard line.allSatisfy({ $0 <= 0x20 }) else {
        throw CommandError(
          message: "Standard input ended in the middle of a request. Nothing of it was taken in.")
      }
      return .done
    }
  }
}
