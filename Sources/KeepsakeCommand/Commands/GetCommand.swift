import KeepsakeFiles
import Keepsake

/// The command `keepsake get`, which writes the exact bytes of an artifact.
struct GetCommand: Command {
  static let declaration = Declaration(
    of: Self(),
    name: "get",
    summary: "Write an artifact's exact bytes to a file or to standard output.",
    discussion: """
      ARTIFACT is a digest, a unique beginning of one, or SESSION/LABEL. The bytes are checked
      against the digest. In a folder, the file gets a name of its own with the right extension. A
      terminal that can show images shows them.
      """,
    examples: [
      ("keepsake get last/image_1 -o banana.png", "Write an image of the newest session."),
      ("keepsake get 5f2ab1 | sha256sum", "Hand the bytes to another program."),
    ],
    variables: [.images])

  let artifact = Operand.artifact
  let output = Option(
    "--output", short: "-o", value: "PATH", as: .output,
    help: "A file, or a folder that is there; '-' is standard output.")
  let force = Flag.force
  let images = Option.images

  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode {
    let terminal = context.terminal
    return try await context.withStore(arguments, for: .reading) { store in
      let name = arguments.artifact
      let (artifact, attachment) = try await Locator(store: store).artifact(name)
      guard let path = arguments.output?.path else {
        if terminal.isTerminal {
          try await Self.show(
            artifact, named: name,
            InlineImages(arguments.images, in: context), terminal)
        } else {
          for try await piece in artifact.chunks() { try terminal.output(piece) }
        }
        return .done
      }
      let target = try OutputPath(path)
      let file = try target.file(
        named: OutputPath.name(
          attachment?.fileName ?? attachment?.label ?? Words.short(artifact.id),
          type: attachment?.mediaType ?? artifact.sniffedType),
        replacing: arguments.force)
      for try await piece in artifact.chunks() { try OutputPath.write(piece, to: file.file) }
      try file.file.finish()
      try terminal.note("\(file.path)  \(artifact.sniffedType), \(Words.size(artifact.size))")
      return .done
    }
  }

  /// Shows an artifact on a terminal, which is possible for text and some images; other bytes would disturb the terminal.
  private static func show(
    _ artifact: Artifact, named name: String, _ images: InlineImages?, _ terminal: Terminal
  ) async throws {
    if let image = try await images?.text(artifact) { return try terminal.line(image) }
    guard artifact.sniffedType.isText else {
      throw CommandError(
        message:
          "'\(name)' is \(artifact.sniffedType), and standard output is a terminal. Write it to a file with -o FILE, or into a pipe."
      )
    }
    let text = String(decoding: try await artifact.data(), as: UTF8.self)
    try terminal.output(Array(Terminal.printable(text).utf8))
  }
}
