import KeepsakeFiles
import Foundation
import Keepsake

/// What was acknowledged, by session.
struct Expected {
  /// How far something that takes away has come.
  enum Removal { case none, begun, done }

  struct Promise {
    /// One text; another one, too, while it is being revised.
    var texts: Set<SHA256Digest>
    var artifacts: [Artifact.ID]
    var erasure = Removal.none
  }

  struct Contents {
    var entries: [Int: Promise] = [:]
    var attachments: [Int64: (artifact: Artifact.ID, position: Int?)] = [:]
    var drafts: Set<UUID> = []
    var deletion = Removal.none
  }

  var sessions: [UUID: Contents] = [:]
  /// Artifacts of which not a byte may be there.
  private(set) var gone: [Artifact.ID] = []
  private(set) var count = 0

  init(readingFrom path: String) throws {
    let bytes = try FileDescriptor(opening: path).readAll(limit: 1 << 30)
    let lines = String(decoding: bytes, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    for line in lines where line != "ready" {
      let acknowledgement = try Acknowledgement(line: line)
      try add(acknowledgement)
      if !acknowledgement.isAnnouncement { count += 1 }
    }
  }

  private mutating func add(_ acknowledgement: Acknowledgement) throws {
    switch acknowledgement {
    case .session(let id), .fork(let id):
      sessions[id, default: .init()].entries = sessions[id]?.entries ?? [:]
    case .entry(let session, let position, let text, let artifacts):
      let before = sessions[session, default: .init()]
        .entries.updateValue(Promise(texts: [text], artifacts: artifacts), forKey: position)
      if before != nil {
        throw Failure("position \(position) of \(session) was acknowledged twice.")
      }
    case .attachment(let session, let recording, let artifact, let position):
      sessions[session, default: .init()].attachments[recording] = (artifact, position)
    case .draft(let session, let id):
      sessions[session, default: .init()].drafts.insert(id)
    case .revising(let session, let position, let text):
      try change(session, position) { $0.texts.insert(text) }
    case .revised(let session, let position, let text):
      try change(session, position) { $0.texts = [text] }
    case .erasing(let session, let position):
      try change(session, position) { $0.erasure = .begun }
    case .erased(let session, let position, let artifacts):
      try change(session, position) { $0.erasure = .done }
      gone += artifacts
    case .deleting(let session):
      sessions[session, default: .init()].deletion = .begun
    case .deleted(let session, let artifacts):
      sessions[session, default: .init()].deletion = .done
      gone += artifacts
    }
  }

  private mutating func change(
    _ session: UUID, _ position: Int, _ body: (inout Promise) -> Void
  ) throws {
    guard var promise = sessions[session]?.entries[position] else {
      throw Failure("position \(position) of \(session) was changed and never acknowledged.")
    }
    body(&promise)
    sessions[session]?.entries[position] = promise
  }
}
