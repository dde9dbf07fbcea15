#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import KeepsakeFiles
package import Keepsake

/// Keeps the transcripts that the Claude Agent SDK hands over record by record.
///
/// A session has a main transcript and one for each sub-agent. Each transcript is a stream, and becomes a session of
/// the store, as its file would. A record with an id is added once to its stream; a record without an id is added
/// each time it comes.
package struct AgentStreams {
  /// The result of adding records to a stream.
  package struct Appended: Sendable {
    /// The number of records that were new.
    package let added: Int
    /// The number of appends that have added to the stream so far.
    package let appends: Int
    /// The time when something was last added to the stream; nil where nothing ever was.
    package let updated: Date?
    /// The id of a record that a new record follows and that never came; nil where none is missing.
    package let missing: String?
  }

  private let store: Store
  private let followed = FollowedFiles()
  /// The state of the streams that were added to last.
  private var known: [StreamKey: KnownStream] = [:]

  /// The number of streams whose state is kept. When more are used, all states are dropped and read again.
  private static let limit = 64

  package init(_ store: Store) { self.store = store }

  /// Adds records to a stream.
  ///
  /// When it returns, the records are durable. When it throws, none of them was added.
  /// - Parameters:
  ///   - records: The records, each a JSON object on one line.
  ///   - key: The key of the stream.
  ///   - seen: The number of appends that the summary covers.
  ///   - summary: The program's summary of the stream, which is given back unchanged; nil to keep the last one.
  /// - Returns: What was added.
  /// - Throws: `StreamError.grown`, when the summary covers less than the stream holds.
  package mutating func append(
    _ records: [[UInt8]], to key: StreamKey, seen: Int? = nil, summary: String? = nil
  ) async throws -> Appended {
    let stored = try await store.stream(key)
    // A failure below leaves no known state, so that it is read again.
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
    // The session may have had some of the records already, in which case the stored stream differs from this state.
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

  /// Imports the new records into the stream's session, or into a new session where the old one has parted from the
  /// stream.
  private func take(_ source: ForeignSource, _ stored: StoredStream?) async throws {
    var source = source
    if let session = stored?.session {
      do {
        _ = try await store.importing(source, into: session)
        return
      } catch let error as KeepsakeError where error.code == .diverged {
        // The session was changed, so the new records do not follow it. Both are kept.
      }
    } else if stored != nil {
      // The program deleted its transcript, so the new one must not be joined to the kept conversation.
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
      followed: followed, read: content.read)
    var source = ForeignSource(
      format: ClaudeCodeCodec.name, name: name, identity: ClaudeCodeCodec.identity,
      namesSession: true, standing: file.standing,
      growth: .init(size: file.size, bytes: file.read) { bookmark in
        try ClaudeCodeCodec.read(file, from: bookmark).map { NamedReading(reading: $0, id: id) }
      }
    ) { NamedReading(reading: try ClaudeCodeCodec.read(file), id: id) }
    source.followed = followed
    return source
  }
}

// MARK: - Reading and deleting

extension AgentStreams {
  /// The stored stream with a key; nil where there never was one.
  package func stored(_ key: StreamKey) async throws -> StoredStream? {
    try await store.stream(key)
  }

  /// The records of a stream in order; nil where there is none.
  package func records(of key: StreamKey) async throws -> [ArraySlice<UInt8>]? {
    guard let stored = try await store.stream(key), stored.session != nil else { return nil }
    let bytes = try Self.bytes(of: stored, in: store)
    return Self.lines(of: bytes)
  }

  /// The main transcripts of a project.
  package func sessions(ofProject project: String) async throws -> [StoredStream] {
    try await store.streams(ofProject: project).filter { $0.key.part.isEmpty }
  }

  /// The names of a session's streams other than its main transcript.
  package func parts(ofSession session: String, inProject project: String) async throws -> [String]
  {
    try await store.streams(ofProject: project, session: session).map(\.key.part)
      .filter { !$0.isEmpty }
  }

  /// Deletes a stream, and with a main transcript all streams of its session.
  /// - Parameters:
  ///   - key: The key of the stream.
  ///   - erasing: Whether the conversations are deleted from the store as well; otherwise they stay.
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

  /// The lines that are JSON. A file that an agent itself wrote may hold other lines.
  static func lines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
    bytes.split(separator: 0x0A).filter { HeldLines.isJSON(Array($0)) }
  }
}

extension StreamKey {
  /// The name of the file in which the agent itself would keep the transcript.
  fileprivate var fileName: String { "\(part.isEmpty ? session[...] : lastPart).jsonl" }

  /// The id of the session that the agent's own file would hold.
  fileprivate var sessionID: String {
    guard !part.isEmpty else { return session }
    return "\(session)/\(lastPart)"
  }

  private var lastPart: Substring { part.split(separator: "/").last ?? part[...] }
}

/// A reading of a transcript whose id is given from outside.
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
