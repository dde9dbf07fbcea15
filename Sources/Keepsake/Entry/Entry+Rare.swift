#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Entry {
  /// The caller's own id of the entry. Appending a known key with equal content is a no-op, with other content an error.
  public var key: String? {
    get { rare?.value.key }
    set { setRare(\.key, newValue) }
  }
  /// Which model session of a stitched conversation it belongs to: router, rewriter, chat.
  public var lane: String? {
    get { rare?.value.lane }
    set { setRare(\.lane, newValue) }
  }
  /// Who wrote it: a person, an agent, a step of the app.
  public var author: String? {
    get { rare?.value.author }
    set { setRare(\.author, newValue) }
  }
  /// The model that made it, or that it was sent to.
  public var model: String? {
    get { rare?.value.model }
    set { setRare(\.model, newValue) }
  }
  /// Words to find it by.
  public var tags: [String] {
    get { rare?.value.tags ?? [] }
    set { setRare(\.tags, newValue) }
  }
  /// Whatever the app wants to keep with it: a JSON object.
  public var metadata: JSON? {
    get { rare?.value.metadata }
    set { setRare(\.metadata, newValue) }
  }
  /// The options that a prompt was sent with: sampling, temperature, limits.
  public var options: JSON? {
    get { rare?.value.options }
    set { setRare(\.options, newValue) }
  }
  /// The form that a prompt asked its answer to have.
  public var responseFormat: JSON? {
    get { rare?.value.responseFormat }
    set { setRare(\.responseFormat, newValue) }
  }
  /// The tools that instructions describe to the model.
  public var toolDefinitions: JSON? {
    get { rare?.value.toolDefinitions }
    set { setRare(\.toolDefinitions, newValue) }
  }
  /// What ``usage`` is read from.
  package var rawUsage: JSON? {
    get { rare?.value.usage }
    set { setRare(\.usage, newValue) }
  }
  /// How long it took: a JSON object, as it was measured.
  public var timing: JSON? {
    get { rare?.value.timing }
    set { setRare(\.timing, newValue) }
  }
  /// The model's signature of its reasoning, which some services want back unchanged.
  public var signature: String? {
    get { rare?.value.signature }
    set { setRare(\.signature, newValue) }
  }
  /// Time as a foreign source spelled it, where that differs from `created`.
  public var foreignTime: String? {
    get { rare?.value.foreignTime }
    set { setRare(\.foreignTime, newValue) }
  }
  /// Of an event that goes back in the conversation: the position after which the conversation goes on; -1 is its
  /// beginning. Nil for any other entry.
  ///
  /// What stands between that position and the event was taken back. It stays, and no model is given it any more; see
  /// ``LivePath``. The position may itself be one that was taken back: then the part that it ends is live again. Where
  /// such an event is erased, that is forgotten with it: all before it is live.
  public var continuesAfter: Int? {
    get { rare?.value.continuesAfter }
    set { setRare(\.continuesAfter, newValue) }
  }

  struct Rare: Sendable, Hashable {
    var key: String?
    var lane: String?
    var author: String?
    var model: String?
    var tags: [String] = []
    var metadata: JSON?
    var options: JSON?
    var responseFormat: JSON?
    var toolDefinitions: JSON?
    var usage: JSON?
    var timing: JSON?
    var signature: String?
    var foreignTime: String?
    var continuesAfter: Int?

    static let none = Rare()
  }

  private mutating func setRare<Value>(_ path: WritableKeyPath<Rare, Value>, _ value: Value) {
    var changed = rare?.value ?? .none
    changed[keyPath: path] = value
    rare = changed == .none ? nil : Box(changed)
  }
}

/// A value that is kept out of line and shared until it changes.
final class Box<Value: Sendable & Hashable>: Sendable, Hashable {
  let value: Value

  init(_ value: Value) { self.value = value }

  static func == (a: Box, b: Box) -> Bool { a === b || a.value == b.value }
  func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
