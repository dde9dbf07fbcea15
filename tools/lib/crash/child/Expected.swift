import Files
import Foundation
import Keepsake

/// What was acknowledged, by session.
struct Expected {
  struct Contents {
    var entries: [Int: (text: SHA256Digest, artifacts: [Artifact.ID])] = [:]
    var attachments: [Int64: (artifact: Artifact.ID, position: Int?)] = [:]
  }

  var sessions: [UUID: Contents] = [:]
  private(set) var count = 0

  init(readingFrom path: String) throws {
    let bytes = try FileDescriptor(opening: path).readAll(limit: 1 << 30)
    let lines = String(decoding: bytes, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    for line in lines where line != "ready" {
      try add(Acknowledgement(line: line))
      count += 1
    }
  }

  private mutating func add(_ acknowledgement: Acknowledgement) throws {
    switch acknowledgement {
    case .session(let id):
      sessions[id, default: .init()].entries = sessions[id]?.entries ?? [:]
    case .entry(let session, let position, let text, let artifacts):
      let before = sessions[session, default: .init()]
        .entries.updateValue((text, artifacts), forKey: position)
      if before != nil {
        throw Failure("position \(position) of \(session) was acknowledged twice.")
      }
    case .attachment(let session, let recording, let artifact, let position):
      sessions[session, default: .init()].attachments[recording] = (artifact, position)
    }
  }
}
