import KeepsakeFiles
import Foundation
import Keepsake

/// What a call promised when it returned: a line that is printed with one `write(2)`, so that a kill can't tear it.
///
/// What takes something away is announced before it begins: from then on it may be gone, and only once it is
/// acknowledged it must be.
enum Acknowledgement {
  case session(UUID)
  /// A session that begins with another one's entries.
  case fork(UUID)
  case entry(session: UUID, position: Int, text: SHA256Digest, artifacts: [Artifact.ID])
  case attachment(session: UUID, recording: Int64, artifact: Artifact.ID, position: Int?)
  case draft(session: UUID, id: UUID)
  case revising(session: UUID, position: Int, text: SHA256Digest)
  case revised(session: UUID, position: Int, text: SHA256Digest)
  case erasing(session: UUID, position: Int)
  /// With the artifacts that nobody else has.
  case erased(session: UUID, position: Int, artifacts: [Artifact.ID])
  case deleting(session: UUID)
  case deleted(session: UUID, artifacts: [Artifact.ID])

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

  /// Whether it only says what is about to be done.
  var isAnnouncement: Bool {
    switch self {
    case .revising, .erasing, .deleting: true
    default: false
    }
  }

  var line: String {
    switch self {
    case .session(let id): "session\t\(id)"
    case .fork(let id): "fork\t\(id)"
    case .entry(let session, let position, let text, let artifacts):
      "entry\t\(session)\t\(position)\t\(text.hex)\t\(Self.names(artifacts))"
    case .attachment(let session, let recording, let artifact, let position):
      "attachment\t\(session)\t\(recording)\t\(artifact.digest.hex)\t\(position.map(String.init) ?? "-")"
    case .draft(let session, let id): "draft\t\(session)\t\(id)"
    case .revising(let session, let position, let text):
      "revising\t\(session)\t\(position)\t\(text.hex)"
    case .revised(let session, let position, let text):
      "revised\t\(session)\t\(position)\t\(text.hex)"
    case .erasing(let session, let position): "erasing\t\(session)\t\(position)"
    case .erased(let session, let position, let artifacts):
      "erased\t\(session)\t\(position)\t\(Self.names(artifacts))"
    case .deleting(let session): "deleting\t\(session)"
    case .deleted(let session, let artifacts): "deleted\t\(session)\t\(Self.names(artifacts))"
    }
  }

  /// Prints it, with what else the driver wants to know of it.
  func print(_ more: Int64...) throws {
    let line = ([self.line] + more.map { String($0) }).joined(separator: "\t") + "\n"
    try FileHandle.standardOutput.write(contentsOf: Data(line.utf8))
  }

  private static func names(_ artifacts: [Artifact.ID]) -> String {
    artifacts.isEmpty ? "-" : artifacts.map(\.digest.hex).joined(separator: ",")
  }
}

extension Acknowledgement {
  /// Reads a line; columns that follow are the driver's.
  init(line: Substring) throws {
    var fields = Fields(line)
    let kind = try fields.next()
    let session = try fields.uuid()
    switch kind {
    case "session": self = .session(session)
    case "fork": self = .fork(session)
    case "entry":
      self = .entry(
        session: session, position: try fields.number(), text: try fields.digest(),
        artifacts: try fields.artifacts())
    case "attachment":
      self = .attachment(
        session: session, recording: Int64(try fields.number()),
        artifact: Artifact.ID(try fields.digest()), position: Int(try fields.next()))
    case "draft": self = .draft(session: session, id: try fields.uuid())
    case "revising":
      self = .revising(
        session: session, position: try fields.number(), text: try fields.digest())
    case "revised":
      self = .revised(session: session, position: try fields.number(), text: try fields.digest())
    case "erasing": self = .erasing(session: session, position: try fields.number())
    case "erased":
      self = .erased(
        session: session, position: try fields.number(), artifacts: try fields.artifacts())
    case "deleting": self = .deleting(session: session)
    case "deleted": self = .deleted(session: session, artifacts: try fields.artifacts())
    default: throw fields.failure
    }
  }

  /// The columns of a line, one after the other.
  private struct Fields {
    let line: Substring
    private var rest: ArraySlice<Substring>

    init(_ line: Substring) {
      self.line = line
      rest = line.split(separator: "\t", omittingEmptySubsequences: false)[...]
    }

    var failure: Failure { Failure("no acknowledgement: '\(line)'.") }

    mutating func next() throws -> Substring {
      guard let field = rest.popFirst() else { throw failure }
      return field
    }

    mutating func number() throws -> Int {
      guard let number = Int(try next()) else { throw failure }
      return number
    }

    mutating func uuid() throws -> UUID {
      guard let id = UUID(uuidString: String(try next())) else { throw failure }
      return id
    }

    mutating func digest() throws -> SHA256Digest {
      guard let digest = SHA256Digest(hex: String(try next())) else { throw failure }
      return digest
    }

    mutating func artifacts() throws -> [Artifact.ID] {
      let names = try next()
      return try names == "-"
        ? []
        : names.split(separator: ",").map { name in
          guard let digest = SHA256Digest(hex: String(name)) else { throw failure }
          return Artifact.ID(digest)
        }
    }
  }
}
