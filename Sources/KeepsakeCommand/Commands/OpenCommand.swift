#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeFiles
import Keepsake

/// The command `keepsake open`, which opens an artifact in the desktop's program for its type.
struct OpenCommand: Command {
  static let declaration = Declaration(
    of: Self(),
    name: "open",
    summary: "Open an artifact in your desktop's program for its type.",
    discussion: """
      ARTIFACT is a digest, a unique beginning of one, or SESSION/LABEL. The program gets a
      read-only copy. Images, sound, video, PDF and plain text are opened. Types that may run or
      load something when they are opened, such as programs, scripts, HTML and SVG, are only opened
      with --force.
      """,
    examples: [("keepsake open last/image_1", "Look at an image of the newest session.")],
    variables: [.desktop])

  let artifact = Operand.artifact
  let force = Flag("--force", help: "Open it even if it may run.")

  func run(_ arguments: Arguments<Self>, in context: Context) async throws -> ExitCode {
    let name = arguments.artifact
    guard !arguments.common.readOnly else {
      throw UsageError(
        message:
          "'open' makes a copy in the store. With --read-only, write one with 'keepsake get -o FILE'.",
        command: "open")
    }
    let opener = try Desktop.opener(
      context.environment, for: "'\(name)'",
      instead: "Write it to a file with 'keepsake get \(name) -o FILE'.")
    return try await context.withStore(arguments, for: .writing) { store in
      let attachment = try await Locator(store: store).attachment(ofArtifact: name)
      let file = try await attachment.fileURL()
      if !arguments.force { try Self.check(attachment, file, name) }
      let child = try ChildProcess(
        starting: opener, [file.path], environment: context.environment)
      try await Self.wait(for: child, name)
      try context.terminal.note(file.path)
      return .done
    }
  }

  /// Returns whether programs only show files of a type, and run nothing in them.
  private static func isHarmless(_ type: MediaType) -> Bool {
    (type.isImage && type != .svg) || type.isAudio || type.isVideo
      || [.pdf, .plainText, .markdown, .csv, .json, .jsonLines].contains(type)
  }

  /// Throws if the file could run something, by its bytes, its declared type, or its extension, which the desktop goes by.
  private static func check(_ attachment: Entry.Attachment, _ file: URL, _ name: String) throws {
    let types = [
      attachment.artifact?.sniffedType, attachment.mediaType,
      MediaType.forFileExtension(file.pathExtension) ?? .octetStream,
    ].compactMap { $0 }
    guard let risk = types.first(where: { !isHarmless($0) }) else { return }
    throw CommandError(
      message:
        "'\(name)' was not opened: as \(risk) it may run, or reach out, when it is opened. Look at it with 'keepsake get', or open it with --force."
    )
  }

  /// Waits a moment for the program to report that it can't open the file; otherwise the program continues by itself.
  private static func wait(for child: ChildProcess, _ name: String) async throws {
    let deadline = Instant.now.advanced(by: .seconds(5))
    while Instant.now < deadline {
      if let code = child.exitCode() {
        guard code != 0 else { return }
        throw CommandError(
          message:
            "The desktop could not open '\(name)' (code \(code)): it may have no program for it. Write it to a file with 'keepsake get \(name) -o FILE'."
        )
      }
      do { try await Task.sleep(for: .milliseconds(20)) } catch {
        child.leave()
        throw error
      }
    }
    child.leave()
  }
}
