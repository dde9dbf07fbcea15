#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import KeepsakeFiles

/// An entry that is still streaming. It holds no position, survives a crash as interrupted, and becomes an entry when
/// it is finished.
///
/// Updating is synchronous and never waits for the disk: what came is written at most every so often, and whole when
/// the draft ends.
public final class Draft: Sendable, Identifiable {
  /// The identifier that its entry will have.
  public let id: UUID
  let session: Session
  let number: Int64
  let template: Entry
  private let state: Locked<State>

  private struct State {
    var text = ""
    var schema: String?
    /// What the database holds of it, and in how many pieces.
    var written = ""
    var pieces = 0
    var isFlushing = false
    var isWriting = false
    var hasEnded = false

    /// Whether nobody else writes, so that the caller does from now on.
    mutating func beginWriting() -> Bool {
      defer { isWriting = true }
      return !isWriting
    }
  }

  /// How often, at most, what came is written.
  static let interval: Duration = .milliseconds(250)

  init(session: Session, number: Int64, template: Entry) {
    id = template.id
    self.session = session
    self.number = number
    self.template = template
    state = Locked(State())
  }

  /// What has come so far.
  public var text: String { state.withLock { $0.text } }

  /// Takes all that has come so far, as models that stream snapshots give it.
  public func update(_ snapshot: String) { change { $0.text = snapshot } }

  /// Takes a structured snapshot; one need not begin like the one before it.
  public func update(structure: JSON, schema: String? = nil) {
    change {
      $0.text = structure.text
      $0.schema = schema ?? ""
    }
  }

  /// Takes what has come since the last time.
  public func append(_ delta: String) { change { $0.text += delta } }

  private func change(_ body: (inout State) -> Void) {
    let starts = state.withLock { state in
      if state.hasEnded { return false }
      body(&state)
      defer { state.isFlushing = true }
      return !state.isFlushing
    }
    if session.core.hub.isObserved {
      session.core.hub.publish(.draft(session: session.id, snapshot))
    }
    if starts { Task.detached { [self] in await flushLater() } }
  }

  /// What it is now.
  public var snapshot: Snapshot {
    let (text, schema) = state.withLock { ($0.text, $0.schema) }
    return Snapshot(of: template, text: text, schema: schema, isInterrupted: false)
  }

  /// What a draft was when it was looked at.
  public struct Snapshot: Sendable, Hashable, Codable, Identifiable {
    public let id: UUID
    public let kind: Entry.Kind
    public let created: Date?
    /// What has come so far; of a structured draft its JSON.
    public let text: String
    /// Of a structured draft; empty where the schema has no name.
    public let schema: String?
    /// Its process ended before it did.
    public let isInterrupted: Bool
    public let lane: String?
    public let visibility: Entry.Visibility

    init(of template: Entry, text: String, schema: String?, isInterrupted: Bool) {
      id = template.id
      kind = template.kind
      created = template.created
      self.text = text
      self.schema = schema
      self.isInterrupted = isInterrupted
      lane = template.lane
      visibility = template.visibility
    }
  }
}

// MARK: - Writing

extension Draft {
  private func flushLater() async {
    try? await Task.sleep(for: Self.interval)
    // Best effort: what a failure loses here is written when the draft ends, or told then.
    try? await flush()
    state.withLock { $0.isFlushing = false }
    let isBehind = state.withLock { state in
      if state.hasEnded || state.isFlushing || state.text == state.written { return false }
      state.isFlushing = true
      return true
    }
    if isBehind { await flushLater() }
  }

  /// Writes what is not written yet: how much of what stood before stays, and what follows it.
  ///
  /// One at a time: who comes meanwhile waits. The texts are compared outside of the lock, so that updating never does.
  func flush() async throws {
    while !state.withLock({ $0.beginWriting() }) { try await Task.sleep(for: .milliseconds(1)) }
    defer { state.withLock { $0.isWriting = false } }
    let now = state.withLock { $0 }
    guard !now.hasEnded, !now.text.isSameText(as: now.written) else { return }
    let keep = now.written.commonPrefix(with: now.text)
    let piece = DraftPiece(
      draft: number, id: id, number: now.pieces, keep: keep,
      text: String(decoding: now.text.utf8.dropFirst(keep), as: UTF8.self), schema: now.schema)
    try await session.core.writeUncancelled { change in try piece.insert(in: change.db) }
    state.withLock { state in
      state.written = now.text
      state.pieces += 1
    }
  }

  /// Ends it and gives what it held.
  @discardableResult
  func beginEnd() throws -> (text: String, schema: String?) {
    try state.withLock { state in
      guard !state.hasEnded else {
        throw KeepsakeError(
          .conflict, "Draft \(id) has ended already.", object: id.uuidString)
      }
      state.hasEnded = true
      return (state.text, state.schema)
    }
  }

  /// It stays as it was, so that the caller can end it again when the reason is gone why it could not be.
  func takeEndBack() { state.withLock { $0.hasEnded = false } }

  /// Makes it the session's next entry. Durable when it returns; not stopped by the caller's cancellation.
  /// - Parameter final: The entry as the model finally gave it; without it, what has come so far.
  @concurrent @discardableResult
  public func finish(_ final: Entry? = nil) async throws -> Entry {
    try await end(final, status: .complete)
  }

  /// Keeps what has come as an entry that failed.
  @concurrent @discardableResult
  public func fail() async throws -> Entry { try await end(nil, status: .failed) }

  /// Keeps what has come as an entry that was cancelled.
  @concurrent @discardableResult
  public func cancel() async throws -> Entry { try await end(nil, status: .cancelled) }

  private func end(_ final: Entry?, status: Entry.Status) async throws -> Entry {
    let (text, schema) = try beginEnd()
    var entry = final ?? template.filled(text: text, schema: schema)
    entry.id = id
    entry.status = status
    do {
      return try await session.end(draft: number, id: id, as: entry)
    } catch {
      takeEndBack()
      throw error
    }
  }

  /// Ends it without an entry of its own, because nothing came of it or something else has all of it.
  @concurrent
  package func withdraw() async throws {
    try beginEnd()
    let (session, number, id) = (session, number, id)
    do {
      try await session.core.writeUncancelled { change in
        try session.delete(draft: number, in: change.db)
        change.publish(.draftEnded(session: session.id, draft: id, position: nil))
      }
    } catch {
      takeEndBack()
      throw error
    }
  }
}

extension Entry {
  /// The entry that a draft becomes.
  func filled(text: String, schema: String?) -> Entry {
    var entry = self
    if let schema, let json = try? JSON(validating: text) {
      entry.segments = [.structure(json, schema: schema.isEmpty ? nil : schema)]
    } else {
      entry.segments = [.text(text)]
    }
    return entry
  }
}

extension String {
  /// How many bytes of UTF-8 two texts begin with alike, not cutting a character's encoding in two.
  fileprivate func commonPrefix(with other: String) -> Int {
    var count = 0
    var whole = 0
    for (a, b) in zip(utf8, other.utf8) {
      guard a == b else { break }
      if !(0x80...0xBF).contains(a) { whole = count }
      count += 1
    }
    let isBorder =
      count == other.utf8.count
      || !(0x80...0xBF).contains(
        other.utf8[other.utf8.index(other.utf8.startIndex, offsetBy: count)])
    return isBorder ? count : whole
  }
}
