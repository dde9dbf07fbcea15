#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A foreign format: what it is called, and what this version does with it.
public struct Format: Sendable, Hashable, Identifiable {
  /// As `--format` takes it: `apple`.
  public let name: String
  /// As a person calls it: "Apple Foundation Models transcript".
  public let title: String
  /// Names that mean it too; some ask for an older version of it when they are written: `apple26`.
  public let otherNames: [String]
  /// Without the dot, the usual one first. They are a hint: what a file is, its content says.
  public let fileExtensions: [String]
  public let canRead: Bool
  public let canWrite: Bool
  /// What its files can do with the bytes of attachments, the usual thing first.
  public let artifacts: [ExportOptions.Artifacts]
  /// Whether one file can hold several sessions.
  public let holdsSeveral: Bool
  /// Whether it is a form that model sessions are started from, so that a part of a conversation makes sense in it.
  public let resumes: Bool
  /// Whether what was imported from it, and has not changed since, is written as it stood, although no session is written
  /// anew. A database that holds a conversation in rows is none that could be.
  public let givesBack: Bool
  /// How a file shows that it is of this format; nil where it is not read.
  public let sign: String?
  /// What an export may leave out of a session, and then reports, because the format has no way to say it. What is left out
  /// because the export was asked to is none of this.
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
  /// Every format that is read or written.
  public static var all: [Format] { Codecs.formats.map { $0.format } }

  /// The format of a name, or of another name of it.
  public init?(named name: String) {
    guard let found = Self.all.first(where: { $0.name == name || $0.otherNames.contains(name) })
    else { return nil }
    self = found
  }

  /// The format that a file's content shows, whatever its name is; nil where it shows none that we know.
  ///
  /// It looks at the beginning of the file, and into no archive or compressed file.
  /// - Throws: When the file can't be read.
  @concurrent
  public static func recognised(in url: URL) async throws -> Format? {
    let head = try FileHead(ForeignFile(path: FormatError.path(of: url, .unreadable)))
    return Codecs.format(of: head)?.format
  }
}
