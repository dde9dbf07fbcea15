#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import KeepsakeFiles
package import Keepsake

/// The transcripts that the Claude Agent SDK hands over record by record, for a store in which it keeps its sessions.
///
/// Each transcript is a stream of its own, the main one of a session and one for each sub-agent, and becomes a session of
/// the store, as its file would. A record that has an id counts once in its stream; one without an id counts as often as it
/// comes.
package struct AgentStreams {
  /// What an append came to.
  package struct Appended: Sendable {
    /// How many records were new.
    package let added: Int
    /// How often something was added to the stream by now.
    package let appends: Int
    package let updated: Date?
    /// The record before one of the new ones that never came; nil where none is missing.
    package let missing: String?
  }

  private let store: Store
  private let hashes = FollowedHashes()
  /// What is known of the streams that were added to last.
  private var known: [StreamKey: KnownStream] = [:]

  /// So many streams are written to at a time at most; what is known of others is read again.
  private static let limit = 64

  package init(_ store: Store) { self.store = store }

  /// Adds records to a stream. When it returns they are durable; when it throws none of them is there.
  /// - Parameters:
  ///   - records: Each a JSON object on one line.
  ///   - key: The stream.
  ///   - seen: How often something was added to the stream when its summary was made.
  ///   - summary: The program's own summary of the stream, to be handed back as it is; nil to leave it.
  /// - Throws: `StreamError.grown` where the summary is of less than there is.
  package mutating func append(
    _ records: [[UInt8]], to key: StreamKey, seen: Int? = nil, summary: String? = nil
  ) async throws -> Appended {
    let stored = try await store.stream(key)
    // Where this fails it is read again.
    var stream =
      try known.removeValue(forKey: key).flatMap { known in
        known.state == stored?.state ? known : nil
      } ?? KnownStream(stored, in: store)
    let new = try stream.add(records)
    guard !new.bytes.isEmpty else {
      keep(stream, of: key)
      return Appended(
        added: 0, appends: stored?.appends ?? 0, updated: stored?.updated, missing: nil)
    }
    let content = stream.joined(with: new.bytes) { [store] in
      try stored.map { try Self.bytes(of: $0, in: store) } ?? []
    }
    var source = source(key, content)
    source.stream = StreamAppend(
      to: key, seen: seen, summary: summary, hasGap: new.missing != nil)
    try await take(source, stored)
    let now = try await store.stream(key)
    stream.follow(new.bytes)
    // Where the store knew more of the session already, the stream has that, too.
    if let now, now.size == stream.size {
      stream.state = now.state
      keep(stream, of: key)
    }
    return Appended(
      added: new.count, appends: now?.appends ?? 0, updated: now?.updated, missing: new.missing)
  }

  private mutating func keep(_ stream: KnownStream, of key: StreamKey) {
    if known.count >= Self.limit { known = [:] }
    known[key] = stream
  }

  /// Takes over what is new, into the session that the stream became where it can.
  private func take(_ source: ForeignSource, _ stored: StoredStream?) async throws {
    var source = source
    if let session = stored?.session {
      do {
        _ = try await store.importing(source, into: session)
        return
      } catch let error as KeepsakeError where error.code == .diverged {
        // Somebody changed the session, so that what comes now does not follow it: both are kept.
      }
    } else if stored != nil {
      // The program deleted what it had here, and must not find it again.
      source.stream?.isApart = true
    }
    do { _ = try await store.importing(source) } catch StreamError.taken {
      source.stream?.isApart = true
      _ = try await store.importing(source)
    }
  }

  private func source(_ key: StreamKey, _ content: JoinedBytes) -> ForeignSource {
    let name = key.fileName
    let id = key.sessionID
    let file = ForeignFile(
      size: content.size, name: name, standing: FileStanding(key, size: content.size),
      followed: hashes, read: content.read)
    var source = ForeignSource(
      format: ClaudeCodeCodec.name, name: name, identity: ClaudeCodeCodec.identity,
      namesSession: true, standing: file.standing,
      growth: .init(size: file.size, bytes: file.read) { bookmark in
        try ClaudeCodeCodec.read(file, from: bookmark).map { NamedReading(reading: $0, id: id) }
      }
    ) { NamedReading(reading: try ClaudeCodeCodec.read(file), id: id) }
    source.followed = hashes
    return source
  }
}

// MARK: - Reading and deleting

extension AgentStreams {
  /// The stream as it is stored; nil where there never was one.
  package func stored(_ key: StreamKey) async throws -> StoredStream? {
    try await store.stream(key)
  }

  /// The records of a stream, in order; nil where there is none.
  package func records(of key: StreamKey) async throws -> [ArraySlice<UInt8>]? {
    guard let stored = try await store.stream(key), stored.session != nil else { return nil }
    let bytes = try Self.bytes(of: stored, in: store)
    return Self.lines(of: bytes)
  }

  /// The main transcripts of a project.
  package func sessions(ofProject project: String) async throws -> [StoredStream] {
    try await store.streams(ofProject: project).filter { $0.key.part.isEmpty }
  }

  /// What belongs to a session beside its main transcript.
  package func parts(ofSession session: String, inProject project: String) async throws -> [String]
  {
    try await store.streams(ofProject: project, session: session).map(\.key.part)
      .filter { !$0.isEmpty }
  }

  /// Deletes a stream, and with a main transcript all that belongs to its session. Their conversations stay in the store.
  /// - Parameter erasing: Whether the conversations go, too.
  package mutating func delete(_ key: StreamKey, erasing: Bool) async throws {
    let all = try await store.streams(ofProject: key.project, session: key.session)
    let going = all.filter { key.part.isEmpty || $0.key == key }
    for stream in going { known[stream.key] = nil }
    try await store.delete(going.map(\.key))
    guard erasing else { return }
    try await store.deleteSessions(going.compactMap(\.session?.id))
  }

  static func bytes(of stream: StoredStream, in store: Store) throws -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(clamping: stream.size))
    try store.replay(stream) { bytes += $0 }
    return bytes
  }

  /// The lines that are objects. A file that an agent wrote may have others.
  static func lines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    bytes.split(separator: 0x0A).filter { HeldLines.isJSON(Array($0)) }
  }
}

extension StreamKey {
  /// The name of the file in which the agent itself keeps the transcript.
  fileprivate var fileName: String { "\(part.isEmpty ? session[...] : lastPart).jsonl" }

  /// The id that the agent's own file has.
  fileprivate var sessionID: String {
    guard !part.isEmpty else { return session }
    return "\(session)/\(lastPart)"
  }

  private var lastPart: Substring { part.split(separator: "/").last ?? part[...] }
}

/// A transcript, of which is said from outside which session it is.
private struct NamedReading: SourceReading {
  var reading: any SourceReading
  let id: String

  var facts: SourceFacts {
    var facts = reading.facts
    facts.id = id
    return facts
  }

  var bookmark: SourceBookmark? { reading.bookmark }

  mutating func next() throws -> SourceRecord? { try reading.next() }
}
