#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Entry {
  /// The caller's own id of the entry.
  ///
  /// Appending an entry whose key the session has does nothing if the content is equal, and throws otherwise.
  public var key: String? {
    get { rare?.value.key }
    set { setRare(\.key, newValue) }
  }
  /// The model session of a stitched conversation to which the entry belongs, such as router, rewriter or chat.
  public var lane: String? {
    get { rare?.value.lane }
    set { setRare(\.lane, newValue) }
  }
  /// The author of the entry: a person, an agent, or a step of the app.
  public var author: String? {
    get { rare?.value.author }
    set { setRare(\.author, newValue) }
  }
  /// The model that made the entry, or to which the entry was sent.
  public var model: String? {
    get { rare?.value.model }
    set { setRare(\.model, newValue) }
  }
  /// Words by which the entry can be found.
  public var tags: [String] {
    get { rare?.value.tags ?? [] }
    set { setRare(\.tags, newValue) }
  }
  /// Data that the app keeps with the entry, as a JSON object.
  public var metadata: JSON? {
    get { rare?.value.metadata }
    set { setRare(\.metadata, newValue) }
  }
  /// The options with which a prompt was sent: sampling, temperature, limits.
  public var options: JSON? {
    get { rare?.value.options }
    set { setRare(\.options, newValue) }
  }
  /// The form that a prompt asked for in the answer.
  public var responseFormat: JSON? {
    get { rare?.value.responseFormat }
    set { setRare(\.responseFormat, newValue) }
  }
  /// The tools that instructions describe to the model.
  public var toolDefinitions: JSON? {
    get { rare?.value.toolDefinitions }
    set { setRare(\.toolDefinitions, newValue) }
  }
  /// The JSON from which ``usage`` is read.
  package var rawUsage: JSON? {
    get { rare?.value.usage }
    set { setRare(\.usage, newValue) }
  }
  /// The measured durations of the entry, as a JSON object.
  public var timing: JSON? {
    get { rare?.value.timing }
    set { setRare(\.timing, newValue) }
  }
  /// The model's signature of its reasoning, which some services want back unchanged.
  public var signature: String? {
    get { rare?.value.signature }
    set { setRare(\.signature, newValue) }
  }
  /// The time as the foreign source wrote it, if that differs from `created`.
  public var foreignTime: String? {
    get { rare?.value.foreignTime }
    set { setRare(\.foreignTime, newValue) }
  }
  /// The position after which the conversation goes on, for an event that goes back; nil for other entries.
  ///
  /// A position of -1 stands for the beginning. The entries between the position and the event were taken back: they stay in
  /// the session, and no model is given them any more; see ``LivePath``. If the position was itself taken back, the part that
  /// ends there is live again. If the event is erased, its effect is lost, and all entries before it are live.
  public var continuesAfter: Int? {
    get { rare?.value.continuesAfter }
    set { setRare(\.continuesAfter, newValue) }
  }

  /// The values that most entries do not have.
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
