import Files
import Foundation
import Keepsake

/// What a call promised when it returned: a line that is printed with one `write(2)`, so that a kill can't tear it.
enum Acknowledgement {
  case session(UUID)
  case entry(session: UUID, position: Int, text: SHA256Digest, artifacts: [Artifact.ID])
  case attachment(session: UUID, recording: Int64, artifact: Artifact.ID, position: Int?)

  init(_ entry: Entry, in session: Session, text: String, artifacts: [Artifact.ID] = []) throws {
    guard let position = entry.position else { throw Failure("append gave no position.") }
    self = .entry(
      session: session.id, position: position, text: SHA256.digest(of: Array(text.utf8)),
      artifacts: artifacts)
  }

  init(_ attachment: Entry.Attachment, bytes: [UInt8]) {
    // The digest is our own, not the one that the store gave.
    self = .attachment(
      session: attachment.session, recording: attachment.recording,
      artifact: Artifact.ID(SHA256.digest(of: bytes)), position: attachment.position)
  }

  var line: String {
    switch self {
    case .session(let id):
      return "session\t\(id)"
    case .entry(let session, let position, let text, let artifacts):
      let names = artifacts.isEmpty ? "-" : artifacts.map(\.digest.hex).joined(separator: ",")
      return "entry\t\(session)\t\(position)\t\(text.hex)\t\(names)"
    case .attachment(let session, let recording, let artifact, let position):
      let entry = position.map(String.init) ?? "-"
      return "attachment\t\(session)\t\(recording)\t\(artifact.digest.hex)\t\(entry)"
    }
  }

  /// Reads a line; columns that follow are the driver's.
  init(line: Substring) throws {
    let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
    guard fields.count >= 2, let session = UUID(uuidString: String(fields[1])) else {
      throw Failure("no acknowledgement: '\(line)'.")
    }
    switch fields[0] {
    case "session":
      self = .session(session)
    case "entry":
      guard fields.count >= 5, let position = Int(fields[2]),
        let text = SHA256Digest(hex: String(fields[3]))
      else { throw Failure("no entry: '\(line)'.") }
      let names = fields[4] == "-" ? [] : fields[4].split(separator: ",")
      self = .entry(
        session: session, position: position, text: text,
        artifacts: try names.map { try Self.artifact($0) })
    case "attachment":
      guard fields.count >= 5, let recording = Int64(fields[2]) else {
        throw Failure("no attachment: '\(line)'.")
      }
      self = .attachment(
        session: session, recording: recording, artifact: try Self.artifact(fields[3]),
        position: Int(fields[4]))
    default:
      throw Failure("no acknowledgement: '\(line)'.")
    }
  }

  private static func artifact(_ text: Substring) throws -> Artifact.ID {
    guard let id = Artifact.ID(String(text)) else { throw Failure("no digest: '\(text)'.") }
    return id
  }

  /// Prints it, with what else the driver wants to know of it.
  func print(_ more: Int64...) throws {
    let line = ([self.line] + more.map { String($0) }).joined(separator: "\t") + "\n"
    try FileHandle.standardOutput.write(contentsOf: Data(line.utf8))
  }
}
