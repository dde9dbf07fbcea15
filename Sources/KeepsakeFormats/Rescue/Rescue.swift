package import KeepsakeFiles
import Keepsake
#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The rescue of a coding agent's conversation: finds what keeps it from continuing, and heals a copy of it.
///
/// The file itself is read and never written to.
package struct Rescue: Sendable {
  private let rescued: any RescuedConversation
  package var report: RescueReport { rescued.report }
  /// The format of the file, also where it can no longer be detected from the content.
  package var format: String { type(of: rescued).format }

  /// The programs whose conversations can be healed.
  private static let programs: [any RescuedConversation.Type] = [
    ClaudeCodeRescue.self, CodexRescue.self, GeminiCLIRescue.self,
  ]

  /// Reads a file, and heals the conversation in memory.
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - name: The person's name for the file; nil for its path.
  ///   - options: The options of the rescue.
  /// - Throws: ``FormatError``, when the file can't be read, or is of a program whose files are not healed.
  package init(path: String, name: String? = nil, options: RescueOptions = .init()) throws {
    let file = try ForeignFile(path: path, name: name)
    let head = try FileHead(file)
    let codec = Codecs.format(of: head)
    let program = Self.programs.first { program in
      codec.map { $0.format.name == program.format } ?? program.recognises(head)
    }
    guard let program else {
      let reason = codec.map { "it is a \($0.format.title). \(Self.whatCanBeRescued)" }
      throw FormatError(
        codec == nil ? .unrecognised : .unsupported,
        "Can't rescue '\(file.name)': \(reason ?? "its content is of no known format.")",
        file: file.name)
    }
    rescued = try program.init(
      file, options: options, limits: program.usualLimits.setting(options.limits))
  }

  /// A sentence that names the programs, for an error about another file.
  package static var whatCanBeRescued: String {
    "Sessions of \(names) can be."
  }

  private static var names: String {
    let names = programs.map { $0.program }
    return "\(names.dropLast().joined(separator: ", ")) and \(names[names.count - 1])"
  }

  /// The names of the formats whose sessions can be healed.
  package static var formats: [String] { programs.map { $0.format } }

  /// The name of the healed file under a new id.
  package func fileName(_ id: UUID, at time: Date) -> String { rescued.fileName(id, at: time) }

  /// The id that a file with a name has to hold; nil where the program would not find it under that name.
  package func id(inFileName name: String) -> UUID? { rescued.id(inFileName: name) }

  /// The command with which a person continues the healed conversation.
  package func resuming(_ id: UUID) -> String { rescued.resuming(id) }

  /// Writes the healed file into a folder under a new id, and copies the folder that lies beside the old file.
  ///
  /// No file is ever replaced, and the new file appears only when all of it is written.
  /// - Parameters:
  ///   - id: The new id of the conversation.
  ///   - name: The name of the new file.
  ///   - folder: The folder of the new file.
  ///   - path: The old file; nil where nothing can lie beside it.
  /// - Throws: ``FormatError``, when a file can't be written.
  package func write(
    as id: UUID, to name: String, in folder: Directory, besides path: String?
  ) throws {
    do {
      let file = try NewFile(name, in: folder, mode: 0o600)
      try write(as: id) { bytes in
        try Task.checkCancellation()
        try file.write(bytes)
      }
      let side = path.flatMap(rescued.sideFolder).flatMap { try? Directory(path: $0) }
      if let side {
        let name = id.text
        do { try SideFolder.copy(side, as: name, in: folder) } catch {
          _ = try? folder.removeTree(name)
          throw error
        }
      }
      try file.finish()
    } catch let error as FileError {
      throw FormatError.writing(error)
    }
  }

  /// The place where the agent finds the healed file; nil where the file does not say which session of which folder
  /// it is.
  package func installation(
    as id: UUID, home: String, environment: [String: String]
  ) throws -> AgentInstallation? {
    guard let codec = try Codecs.named(format) as? any AgentCodec.Type else {
      return nil
    }
    var head: [UInt8] = []
    try rescued.write(as: id) { line in if head.count < FileHead.size { head += line } }
    return codec.installation(
      of: AgentFileHead(head), below: codec.root(home: home, environment: environment), at: Date())
  }

  /// Writes the healed file where its agent finds it.
  package func install(_ place: AgentInstallation, as id: UUID, besides path: String?) throws {
    do {
      try write(as: id, to: place.name, in: place.opened(), besides: path)
    } catch let error as FileError {
      throw FormatError.writing(error)
    }
  }

  /// Passes the healed file under a new id to a closure, line by line.
  package func write(as id: UUID, _ put: ([UInt8]) throws -> Void) throws {
    try rescued.write(as: id, put)
  }
}
