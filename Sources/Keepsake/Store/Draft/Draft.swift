#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
import KeepsakeFiles

/// An entry that is still streaming, without a position, which becomes an entry when it is finished.
///
/// A crash leaves the draft as interrupted. Updating is synchronous and never waits for the disk: new text is written at most
/// four times a second, and all of it when the draft ends.
public final class Draft: Sendable, Identifiable {
  /// The id that the draft's entry will have.
  public let id: UUID
  let session: Session
  let number: Int64
  let template: Entry
  private let state: Locked<State>

  /// The text of the draft, and the state of its writing.
  private struct State {
    var text = ""
    var schema: String?
    /// The text that the database has, and its number of pieces.
    var written = ""
    var pieces = 0
    var isFlushing = false
    var isWriting = false
    var hasEnded = false

    /// Claims the writing, and returns whether no other task is writing.
    mutating func beginWriting() -> Bool {
      defer { isWriting = true }
      return !isWriting
    }
  }

  /// The least time between two writes of new text.
  static let interval: Duration = .milliseconds(250)

  init(session: Session, number: Int64, template: Entry) {
    id = template.id
    self.session = session
    self.number = number
    self.template = template
    state = Locked(State())
  }

  /// The text that has come so far.
  public var text: String { state.withLock { $0.text } }

  /// Replaces the text with a snapshot, as models give it that stream the whole text so far.
  public func update(_ snapshot: String) { change { $0.text = snapshot } }

  /// Replaces the content with a structured snapshot, which need not begin like the one before.
  public func update(structure: JSON, schema: String? = nil) {
    change {
      $0.text = structure.text
      $0.schema = schema ?? ""
    }
  }

  /// Appends text that has come since the last update.
  public func append(_ delta: String) { change { $0.text += delta } }

  private func change(_ body: (inout State) -> Void) {
    let starts = state.withLock { state in
      if state.hasEnded { return false }
      body(&state)
      defer { state.isFlushing = true }
      return !state.isFlushing
    }
    if session.handle.observers.isObserved {
      session.handle.observers.publish(.draft(session: session.id, snapshot))
    }
    if starts { Task.detached { [self] in await flushLater() } }
  }

  /// The present content of the draft.
  public var snapshot: Snapshot {
    let (text, schema) = state.withLock { ($0.text, $0.schema) }
    return Snapshot(of: template, text: text, schema: schema, isInterrupted: false)
  }

  /// The content of a draft at one moment.
  public struct Snapshot: Sendable, Hashable, Codable, Identifiable {
    /// The id that the draft's entry will have.
    public let id: UUID
    /// The kind of the entry.
    public let kind: Entry.Kind
    /// The time of the entry.
    public let created: Date?
    /// The text that has come so far; for a structured draft, its JSON.
    public let text: String
    /// The name of the schema of a structured draft, or an empty string for a schema without a name; nil for text.
    public let schema: String?
    /// Tells whether the process that streamed the draft ended before the draft was finished.
    public let isInterrupted: Bool
    /// The lane of the entry.
    public let lane: String?
    /// Who may see the entry.
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
    // An error is ignored here, because the text is written again when the draft ends, which then throws.
    try? await flush()
    state.withLock { $0.isFlushing = false }
    let isBehind = state.withLock { state in
      if state.hasEnded || state.isFlushing || state.text == state.written { return false }
      state.isFlushing = true
      return true
    }
    if isBehind { await flushLater() }
  }

  /// Writes the new text: how much of the stored text stays, and what follows it.
  ///
  /// Only one task writes at a time, and others wait. The texts are compared outside of the lock, so that updating never waits.
  func flush() async throws {
    while !state.withLock({ $0.beginWriting() }) { try await Task.sleep(for: .milliseconds(1)) }
    defer { state.withLock { $0.isWriting = false } }
    let now = state.withLock { $0 }
    guard !now.hasEnded, !now.text.isSameText(as: now.written) else { return }
    let keep = now.written.commonPrefix(with: now.text)
    let piece = DraftPiece(
      draft: number, id: id, number: now.pieces, keep: keep,
      text: String(decoding: now.text.utf8.dropFirst(keep), as: UTF8.self), schema: now.schema)
    try await session.handle.writeUncancelled { change in try change.db.drafts.insert(piece) }
    state.withLock { state in
      state.written = now.text
      state.pieces += 1
    }
  }

  /// Marks the draft as ended and returns its content; throws if it has ended already.
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

  /// Marks the draft as not ended after all, so that the caller can end it again when the error is resolved.
  func takeEndBack() { state.withLock { $0.hasEnded = false } }

  /// Makes the draft the session's next entry, which is durable when this returns.
  ///
  /// The task's cancellation is ignored.
  /// - Parameter final: The entry in its final form; nil for the text that has come so far.
  /// - Returns: The stored entry.
  /// - Throws: A ``KeepsakeError`` with the code `conflict` if the draft has ended already, or an error of appending.
  @concurrent @discardableResult
  public func finish(_ final: Entry? = nil) async throws -> Entry {
    try await end(final, status: .complete)
  }

  /// Makes the text that has come so far an entry that failed.
  ///
  /// - Returns: The stored entry.
  /// - Throws: The errors of ``finish(_:)``.
  @concurrent @discardableResult
  public func fail() async throws -> Entry { try await end(nil, status: .failed) }

  /// Makes the text that has come so far an entry that was cancelled.
  ///
  /// - Returns: The stored entry.
  /// - Throws: The errors of ``finish(_:)``.
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

  /// Ends the draft without an entry, because nothing came, or another entry has all of its content.
  @concurrent
  package func withdraw() async throws {
    try beginEnd()
    let (session, number, id) = (session, number, id)
    do {
      try await session.handle.writeUncancelled { change in
        try change.db.drafts.delete(number)
        change.publish(.draftEnded(session: session.id, draft: id, position: nil))
      }
    } catch {
      takeEndBack()
      throw error
    }
  }
}

extension Entry {
  /// Returns the template with the draft's content.
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
  /// Returns the number of equal UTF-8 bytes at the start of two texts, without splitting a character's encoding.
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
