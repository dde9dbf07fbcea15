package import KeepsakeFiles
import Keepsake

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// What a person asks of a rescue.
package struct RescueOptions: Sendable {
  /// Limits of the service that are others than usual, by their names.
  package var limits: [String: Int] = [:]
  /// The folder that the conversation is held in from now on; nil where it stays.
  package var folder: String?
  /// Whether all thinking goes, as it was made by a model or for an account that is used no more.
  package var stripsThinking = false
  /// Whether what becomes a label is kept in a store.
  package var isKept = false

  package init() {}
}

/// A conversation of a coding agent that is looked through for what keeps it from going on, and healed.
///
/// All of it happens in memory and beside the file, which is read and never written to.
package struct Rescue: Sendable {
  private let rescued: any RescuedConversation
  package var report: RescueReport { rescued.report }
  /// The format of the file, also where that can't be told from its content any more.
  package var format: String { type(of: rescued).format }

  /// The programs whose conversations can be healed, by the names of their formats.
  private static let programs: [any RescuedConversation.Type] = [
    ClaudeCodeRescue.self, CodexRescue.self, GeminiCLIRescue.self,
  ]

  /// Looks through a file.
  /// - Parameters:
  ///   - path: Where it is.
  ///   - name: What the person calls it; nil where that is its path.
  /// - Throws: ``FormatError``, when it can't be read, or is of a program whose files are not healed.
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

  /// A sentence for who names something else.
  package static var whatCanBeRescued: String {
    "Sessions of \(names) can be."
  }

  private static var names: String {
    let names = programs.map { $0.program }
    return "\(names.dropLast().joined(separator: ", ")) and \(names[names.count - 1])"
  }

  /// The formats whose sessions can be healed.
  package static var formats: [String] { programs.map { $0.format } }

  /// What the healed file is called under an id of its own.
  package func fileName(_ id: UUID, at time: Date) -> String { rescued.fileName(id, at: time) }

  /// The id that a file of a name would have to hold; nil where the program would not find it under that name.
  package func id(inFileName name: String) -> UUID? { rescued.id(inFileName: name) }

  /// How a person goes on with the healed conversation.
  package func resuming(_ id: UUID) -> String { rescued.resuming(id) }

  /// Writes the healed file into a folder, under an id of its own, and copies what lies beside the old one. No file is
  /// ever replaced, and nothing is seen before all of it is there.
  /// - Parameter path: The old file; nil where nothing can lie beside it.
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
        let name = id.uuidString.lowercased()
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

  /// Where the healed file has to lie so that its agent lists it; nil where the file does not say that.
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

  /// Writes the healed file to where its agent lists it.
  package func install(_ place: AgentInstallation, as id: UUID, besides path: String?) throws {
    do {
      try write(as: id, to: place.name, in: place.opened(), besides: path)
    } catch let error as FileError {
      throw FormatError.writing(error)
    }
  }

  /// Hands over the healed file, a line at a time, under an id of its own.
  package func write(as id: UUID, _ put: ([UInt8]) throws -> Void) throws {
    try rescued.write(as: id, put)
  }
}
