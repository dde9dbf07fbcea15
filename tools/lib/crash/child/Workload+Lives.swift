import KeepsakeFiles
import Foundation
import Keepsake

/// What is streamed, and what is taken away again.
extension Workload.Task {
  mutating func stream(in session: Session) async throws {
    let draft = try await session.draft()
    try Acknowledgement.draft(session: session.id, id: draft.id).print()
    var text = ""
    for _ in 0..<Int.random(in: 0...4, using: &random) {
      text += self.text()
      draft.update(text)
      // At times so long that what came until then is written.
      if random.next() % 4 == 0 { try await _Concurrency.Task.sleep(for: .milliseconds(270)) }
    }
    spent.spend(2 * text.utf8.count)
    try Acknowledgement(try await draft.finish(), in: session, text: text).print()
  }

  /// The life of a session that nobody else writes to: revised, forked, erased from, and mostly deleted, its fork or it
  /// first. Its bytes are its own, but for those that others have too, and that have to stay.
  mutating func liveAndDie() async throws {
    let session = try await store.createSession(title: "A life")
    try Acknowledgement.session(session.id).print()
    var told: [Told] = []
    for _ in 0..<3 { told.append(try await tell(session)) }

    let revised = Int.random(in: 0..<3, using: &random)
    told[revised].text = text()
    let text = SHA256.digest(of: Array(told[revised].text.utf8))
    try Acknowledgement.revising(session: session.id, position: revised, text: text).print()
    try await session.revise(revised, to: .response(told[revised].text))
    try Acknowledgement.revised(session: session.id, position: revised, text: text).print()

    let fork = try await session.fork(before: 2)
    try Acknowledgement.fork(fork.id).print()
    for (position, shared) in told.prefix(2).enumerated() {
      try Acknowledgement.entry(
        session: fork.id, position: position,
        text: SHA256.digest(of: Array(shared.text.utf8)), artifacts: shared.artifacts
      ).print()
    }
    let own = try await tell(fork)
    try await stream(in: session)

    // What nobody has any more when the session, when the fork, or when both are deleted.
    var bytes = (session: [told[2].unique], fork: [own.unique], both: told.prefix(2).map(\.unique))
    if random.next() % 2 == 0 {
      let erased = Int.random(in: 0..<3, using: &random)
      try await erase(erased, of: erased < 2 ? [session, fork] : [session], told[erased].unique)
      bytes.session.removeAll { $0 == told[erased].unique }
      bytes.both.removeAll { $0 == told[erased].unique }
    }
    if random.next() % 3 == 0 { try await store.sweep(olderThan: .zero) }
    switch random.next() % 5 {
    case 0: try await delete(session, bytes.session)
    case 1: try await delete(fork, bytes.fork)
    case 2:
      try await delete(session, bytes.session)
      try await delete(fork, bytes.fork + bytes.both)
    case 3:
      try await delete(fork, bytes.fork)
      try await delete(session, bytes.session + bytes.both)
    default: break
    }
  }

  /// What an entry says, the bytes that it alone has, and all of its artifacts.
  private struct Told {
    var text: String
    let unique: Artifact.ID
    let artifacts: [Artifact.ID]
  }

  private mutating func tell(_ session: Session) async throws -> Told {
    let text = text()
    // A process that does the same again after a crash must not bring back what is gone.
    let unique = bytes() + Array(session.id.uuidString.utf8)
    let all = [unique, sharedBytes()]
    let ids = all.map { Artifact.ID(SHA256.digest(of: $0)) }
    let entry = try await session.append(
      .response(text), attaching: all.map { Entry.NewAttachment(.bytes($0), madeBy: .response) })
    try Acknowledgement(entry, in: session, text: text, artifacts: ids).print()
    return Told(text: text, unique: ids[0], artifacts: ids)
  }

  private func erase(_ position: Int, of sessions: [Session], _ bytes: Artifact.ID) async throws {
    for session in sessions {
      try Acknowledgement.erasing(session: session.id, position: position).print()
    }
    let removed = try await sessions[0].erase(position)
    for session in sessions {
      try Acknowledgement.erased(
        session: session.id, position: position, artifacts: removed.isComplete ? [bytes] : []
      ).print()
    }
  }

  private func delete(_ session: Session, _ bytes: [Artifact.ID]) async throws {
    try Acknowledgement.deleting(session: session.id).print()
    let removed = try await store.deleteSession(session.id)
    // While somebody sweeps, its files wait for the next sweep.
    try Acknowledgement.deleted(
      session: session.id, artifacts: removed.isComplete ? bytes : []
    ).print()
  }
}
