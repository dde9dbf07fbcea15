import KeepsakeFiles
import Foundation
import Keepsake

/// Holds a store against what was acknowledged: everything is there with equal bytes, and all of it adds up.
struct Checker {
  let store: String
  /// The file with the acknowledgements, a line each; a last line without its end was never given.
  let acknowledgements: String

  struct Verdict {
    var faults: [String] = []
    var entries = 0
    var artifacts = 0
    var acknowledged = 0

    /// What the driver reads: `ok` or `bad`, counts, and the first faults.
    var line: String {
      let counts = "\(acknowledged)\t\(entries)\t\(artifacts)"
      if faults.isEmpty { return "ok\t\(counts)" }
      let shown = faults.prefix(5).joined(separator: " | ")
        .replacing("\n", with: " ").replacing("\t", with: " ")
      return "bad\t\(counts)\t\(faults.count) faults: \(shown)"
    }
  }

  func run() async -> Verdict {
    var verdict = Verdict()
    do {
      var expected = try Expected(readingFrom: acknowledgements)
      verdict.acknowledged = expected.count
      guard FileManager.default.fileExists(atPath: store) else {
        // Killed before it was made. Opening would make it, so there is nothing to open.
        if expected.count > 0 { verdict.faults.append("the store is gone") }
        return verdict
      }
      try await checkContent(&expected, &verdict)
      verdict.faults += expected.sessions.filter { $0.value.deletion == .none }
        .map { "session \($0.key) is lost" }
      verdict.faults += try DatabaseCheck(store: store).run()
    } catch {
      verdict.faults.append("\(error)")
    }
    return verdict
  }

  /// Reads everything through the library, then shows that the store takes another entry.
  private func checkContent(_ expected: inout Expected, _ verdict: inout Verdict) async throws {
    let store = try await Store(
      at: URL(filePath: store), options: .init(access: .readWriteExisting))
    do {
      var known: Set<Artifact.ID> = []
      var cursor: Session.Cursor?
      repeat {
        let page = try await store.sessions(limit: 20, after: cursor)
        for summary in page.sessions {
          let session = try await store.session(summary.id)
          let promised = expected.sessions.removeValue(forKey: summary.id) ?? .init()
          if promised.deletion == .done {
            verdict.faults.append("session \(summary.id) was deleted, and is there")
          }
          try await check(session, summary, promised, &known, &verdict)
        }
        cursor = page.next
      } while cursor != nil
      verdict.artifacts = known.count
      try await checkGone(expected, in: store, &verdict)
      let report = try await store.verify(.init(database: .full, readData: true))
      // Files without a row are what a crash may leave.
      verdict.faults += report.findings.filter { $0.severity != .harmless }.map(\.description)
      let session = try await store.createSession(title: "After the crash")
      let entry = try await session.append(.prompt("still here?"))
      let read = try await session.entry(at: 0)
      if entry.position != 0 || read.text != "still here?" {
        verdict.faults.append("the store does not take another entry")
      }
    } catch {
      await store.close()
      throw error
    }
    await store.close()
  }

  private func check(
    _ session: Session, _ summary: Session.Summary, _ promised: Expected.Contents,
    _ known: inout Set<Artifact.ID>, _ verdict: inout Verdict
  ) async throws {
    var entries: [Entry] = []
    for try await entry in session.entries {
      if entry.position != entries.count {
        verdict.faults.append("\(session.id) has a gap before \(entry.position ?? -1)")
      }
      entries.append(entry)
    }
    if summary.entries != entries.count {
      verdict.faults.append("\(session.id) says \(summary.entries) entries, has \(entries.count)")
    }
    verdict.entries += entries.count
    for (position, promise) in promised.entries {
      guard position < entries.count else {
        verdict.faults.append("entry \(position) of \(session.id) is lost")
        continue
      }
      let entry = entries[position]
      if entry.isErased || promise.erasure == .done {
        check(erased: entry, promise, in: session, &verdict)
        continue
      }
      if !promise.texts.contains(SHA256.digest(of: Array(entry.text.utf8))) {
        verdict.faults.append("entry \(position) of \(session.id) has other text")
      }
      let attached = Set(entry.attachments.compactMap { $0.artifact?.id })
      if !attached.isSuperset(of: promise.artifacts) {
        verdict.faults.append("entry \(position) of \(session.id) lost an attachment")
      }
    }
    let ids = Set(entries.map(\.id) + (try await session.drafts()).map(\.id))
    verdict.faults += promised.drafts.subtracting(ids).map { "draft \($0) is lost" }
    let attachments = try await session.attachments()
    let byRecording = Dictionary(
      attachments.map { ($0.recording, $0) }, uniquingKeysWith: { first, _ in first })
    for (recording, promise) in promised.attachments {
      guard let attachment = byRecording[recording] else {
        verdict.faults.append("attachment \(recording) of \(session.id) is lost")
        continue
      }
      if attachment.artifact?.id != promise.artifact {
        verdict.faults.append("attachment \(recording) of \(session.id) has other bytes")
      }
      if let position = promise.position, attachment.position != position {
        verdict.faults.append("attachment \(recording) of \(session.id) lost its entry")
      }
    }
    for artifact in attachments.compactMap(\.artifact) where known.insert(artifact.id).inserted {
      do {
        let bytes = Array(try await artifact.data())
        if SHA256.digest(of: bytes) != artifact.id.digest || bytes.count != Int(artifact.size) {
          verdict.faults.append("\(artifact.id) has other bytes")
        }
      } catch {
        verdict.faults.append("\(error)")
      }
    }
  }

  private func check(
    erased entry: Entry, _ promise: Expected.Promise, in session: Session, _ verdict: inout Verdict
  ) {
    let name = "entry \(entry.position ?? -1) of \(session.id)"
    if promise.erasure == .none { verdict.faults.append("\(name) was erased by nobody") }
    let says = !entry.text.isEmpty || entry.attachments.contains { $0.artifact != nil }
    if !entry.isErased || says { verdict.faults.append("\(name) was erased, and is there") }
  }

  /// Sessions that were deleted can't be asked for, and bytes that nobody else has are on the disk no more.
  private func checkGone(_ expected: Expected, in store: Store, _ verdict: inout Verdict)
    async throws
  {
    for (id, contents) in expected.sessions where contents.deletion == .done {
      do {
        _ = try await store.session(id)
        verdict.faults.append("session \(id) was deleted, and opens")
      } catch let error as KeepsakeError where error.code == .notFound {}
    }
    for id in expected.gone {
      let hex = id.digest.hex
      let file = "\(self.store)/artifacts/\(hex.prefix(2))/\(hex.dropFirst(2))"
      if FileManager.default.fileExists(atPath: file) {
        verdict.faults.append("the file of \(id) was removed, and is there")
      }
      do {
        _ = try await store.artifact(id)
        verdict.faults.append("\(id) was removed, and is there")
      } catch let error as KeepsakeError where error.code == .notFound {}
    }
  }
}
