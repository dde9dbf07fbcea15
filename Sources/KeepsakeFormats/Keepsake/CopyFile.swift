import KeepsakeFiles
import Keepsake

/// Functions that the codecs of Keepsake's own two formats share.
enum CopyFile {
  /// Runs a closure that reads a file, and converts its failures to errors that name the file.
  static func reading<Result>(_ file: ForeignFile, _ body: () async throws -> Result) async throws
    -> Result
  {
    do { return try await body() } catch let fault as CopyFault {
      throw FormatError(
        .malformed, "Can't import '\(file.name)': \(fault.reason.clause). Nothing was taken over.",
        file: file.name)
    } catch let fault as ByteScanner.Fault {
      let reason =
        switch fault.reason {
        case .endsEarly: "it ends early, at byte \(fault.offset); it may have been cut off"
        case .tooDeep: "it nests too deep at byte \(fault.offset)"
        }
      throw FormatError(
        .malformed, "Can't import '\(file.name)': \(reason). Nothing was taken over.",
        file: file.name, offset: fault.offset)
    }
  }

  /// The bytes of a record. A record above the limit is refused, because no store could hold it.
  static func record(at place: Range<Int64>, in file: ForeignFile) throws -> [UInt8] {
    guard place.count <= recordLimit else {
      throw CopyFault(
        "the record at byte \(place.lowerBound) is larger than \(recordLimit) bytes")
    }
    return try file.read(place)
  }

  private static let recordLimit = 1 << 30

  /// Refuses a file that a newer version of Keepsake wrote.
  static func requireVersion(_ found: Int64, of known: Int64, _ file: ForeignFile) throws {
    guard found != known else { return }
    guard found > known else { throw CopyFault("there is no version \(found) of its format") }
    throw FormatError(
      .unsupported,
      "Can't import '\(file.name)': it was made by a newer Keepsake (version \(found) of the format; this build reads \(known)).",
      remedy: .upgrade, file: file.name)
  }

  /// Refuses to import a file into a given session, because its sessions are restored as they were.
  static func requireNoSession(_ session: Session?, _ file: ForeignFile, _ format: Format) throws {
    guard session != nil else { return }
    throw FormatError(
      .unsupported,
      "Can't take '\(file.name)' into a session: a \(format.title) has sessions of its own. Import it without naming one.",
      file: file.name)
  }

  static func losses(of summary: SessionCopy.Summary, hasBytes: Bool) -> Losses {
    var losses = Losses()
    if !hasBytes { losses.add(.attachments, summary.artifacts.count) }
    losses.add(.drafts, summary.drafts)
    losses.add(.parents, summary.companions)
    return losses
  }

  /// The file name of an artifact for which no other name is known.
  static func name(_ artifact: Artifact) -> String {
    let stem = String(artifact.id.hex.prefix(16))
    return artifact.sniffedType.fileExtension.map { "\(stem).\($0)" } ?? stem
  }
}
