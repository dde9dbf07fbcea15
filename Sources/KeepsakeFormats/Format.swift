#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Describes a format: its names, and what this version of Keepsake does with it.
public struct Format: Sendable, Hashable, Identifiable {
  /// The name that `--format` accepts, such as `apple`.
  public let name: String
  /// The name for a person, such as "Apple Foundation Models transcript".
  public let title: String
  /// Other names that `--format` accepts. Some of them select an older version of the format for writing, such as
  /// `apple26`.
  public let otherNames: [String]
  /// The usual file extensions, without the dot, the most common first. Detection looks only at a file's content.
  public let fileExtensions: [String]
  /// Whether files of this format can be imported.
  public let canRead: Bool
  /// Whether sessions can be exported in this format.
  public let canWrite: Bool
  /// The ways in which files of this format can hold the bytes of attachments, the default first.
  public let artifacts: [ExportOptions.Artifacts]
  /// Whether one file can hold several sessions.
  public let holdsSeveral: Bool
  /// Whether model sessions are started from this format, so that a part of a conversation makes sense in it.
  public let resumes: Bool
  /// Whether an unchanged session that was imported from this format can be exported as it stood, byte for byte.
  ///
  /// This holds also for formats that are only read. It does not hold for databases, which keep a conversation in
  /// rows.
  public let givesBack: Bool
  /// The sign by which a file of this format is recognised, for a person; nil where the format is not read.
  public let sign: String?
  /// The kinds of content that an export in this format may leave out and report, because the format can't express
  /// them.
  ///
  /// What an export leaves out because its options say so is not in this set.
  public let leavesOut: Set<Losses.Kind>

  public var id: String { name }

  init(
    name: String, title: String, otherNames: [String] = [], fileExtensions: [String],
    canRead: Bool = false, canWrite: Bool = false, artifacts: [ExportOptions.Artifacts] = [],
    holdsSeveral: Bool = false, resumes: Bool = false, givesBack: Bool? = nil,
    sign: String? = nil, leavesOut: Set<Losses.Kind> = []
  ) {
    self.name = name
    self.title = title
    self.otherNames = otherNames
    self.fileExtensions = fileExtensions
    self.canRead = canRead
    self.canWrite = canWrite
    self.artifacts = artifacts
    self.holdsSeveral = holdsSeveral
    self.resumes = resumes
    self.givesBack = givesBack ?? (canRead && !canWrite)
    self.sign = sign
    self.leavesOut = leavesOut
  }
}

extension Format {
  /// All formats that can be read or written.
  public static var all: [Format] { Codecs.formats.map { $0.format } }

  /// Finds the format with a name, which may be one of its other names; nil where there is none.
  public init?(named name: String) {
    guard let found = Self.all.first(where: { $0.name == name || $0.otherNames.contains(name) })
    else { return nil }
    self = found
  }

  /// Detects the format of a file by its content, whatever the file's name is.
  ///
  /// Only the beginning of the file is read. Archives and compressed files are not unpacked.
  /// - Parameter url: The file.
  /// - Returns: The format; nil where the file shows the sign of no known format.
  /// - Throws: ``FormatError`` when the file can't be read.
  @concurrent
  public static func recognised(in url: URL) async throws -> Format? {
    let head = try FileHead(ForeignFile(path: FormatError.path(of: url, .unreadable)))
    return Codecs.format(of: head)?.format
  }
}
