#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// The command `keepsake demo`, which shows the main purpose of a store in one run.
struct DemoCommand: Command {
  static let declaration = Declaration(
    of: Self(),
    name: "demo",
    summary: "Keep a conversation with images, lose the originals, and get it back whole.",
    discussion: """
      Makes a store, records a conversation whose tool draws real images into a temporary folder,
      sweeps that folder, opens the store again, and shows what came back, who made it, and that
      nothing was altered. Each step shows the call that does it.
      """,
    examples: [
      ("keepsake demo", "Use a new store in the temporary folder."),
      ("keepsake demo Demo.keepsake", "Use this store; it is made if it is not there."),
    ])

  let path = Operand.optional("PATH", "The store; else a new one in the temporary folder.")

  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode {
    let path =
      arguments.path ?? context.store(arguments)
      ?? FileManager.default.temporaryDirectory.path.withoutTrailingSlash
      + "/keepsake-demo-\(UUID().uuidString.prefix(8).lowercased()).keepsake"
    return try await Demo(path: path, terminal: context.terminal).run()
  }
}

extension String {
  fileprivate var withoutTrailingSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}
