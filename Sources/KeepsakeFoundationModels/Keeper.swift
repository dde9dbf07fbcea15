#if canImport(FoundationModels)
  import KeepsakeFiles
  import FoundationModels
  public import Keepsake

  /// Keeps what a model session says, and what its tools make, in a session of a store.
  ///
  /// Make it before the `LanguageModelSession`, wrap the tools with `keeping(_:filesFrom:)`, begin with
  /// ``transcript(fitting:references:)``, and ask through ``turn(_:in:retrying:_:)`` or
  /// ``streaming(_:in:retrying:_:onSnapshot:)``. Have one keeper as long as there is the model session: it remembers what
  /// it gave out, so that words which stood for an image are never saved as if they had been said.
  ///
  /// **Other instructions.** A model session may be told something else than what is stored: another profile, a summary.
  /// That never parts it from the conversation. What its transcript begins with is compared with the instructions of the
  /// keeper's lane. Where they say something else, that becomes a revision of them, so that the next transcript begins
  /// with it. Where the lane has none, they become an entry of the turn that first used them. A fork never changes
  /// the instructions that it shares: it gets its own.
  ///
  /// **Another story.** A transcript parts ways with what is stored where it lacks the newest of it, and holds something
  /// else in its place. What is stored stays. With `.fork` the keeper moves on to a fork before the model is asked, and
  /// ``session`` is that fork from then on. With `.fail` the model is asked all the same, and the turn is kept at the end
  /// of what is stored: its prompt, its calls and outputs, its answer. The turn's detail says that the model was given
  /// something else.
  @available(macOS 26, iOS 26, visionOS 26, watchOS 27, *)
  @available(tvOS, unavailable)
  public final class Keeper: Sendable {
    /// The lane of this model session, in a conversation that is stitched from several; nil where there is one.
    public let lane: String?
    /// What the app calls the model; nil where it leaves that to the model.
    public let model: String?
    /// What to do with a transcript that parts ways with what is stored.
    public let divergence: Session.Divergence
    let state: Locked<State>

    /// Where everything goes: the session that it was made with, or, since a transcript parted ways with what is
    /// stored there, the fork that was asked for.
    public var session: Session { state.withLock { $0.session } }

    /// - Parameters:
    ///   - session: Where everything goes.
    ///   - lane: The lane of this model session: what other lanes said is not given to it.
    ///   - model: What the model is called, which its answers are recorded with; nil for what the model itself says,
    ///     from OS 27 on, when the transcript is made for it.
    ///   - divergence: What to do with a transcript that parts ways with what is stored. A turn and its answer are
    ///     kept whatever it says.
    public init(
      _ session: Session, lane: String? = nil, model: String? = nil,
      ifDiverging divergence: Session.Divergence = .fail
    ) {
      self.lane = lane
      self.model = model
      self.divergence = divergence
      state = Locked(State(session: session, model: model))
    }

    /// What is known of the model session's transcript.
    struct State {
      var session: Session
      /// What the model is called that answers.
      var model: String?
      /// What is known of entries beside what the transcript says, by their keys.
      var reports: [String: Report] = [:]
      /// The tools that were wrapped, by their names: the model is given their schemas.
      var tools: [String: any Tool] = [:]
      var given = Given()
      /// The instructions that the transcript begins with and that are stored, as they come back with it.
      var instructions: [Entry] = []
      /// How far the transcript is saved.
      var saved = Mark()
      /// Where the transcript parted ways with what is stored, if it did: no more than its turns are kept since.
      var parting: Int?
    }

    /// What is known of an entry that a model made.
    struct Report {
      var model: String?
      /// Of an answer: what its turn took.
      var usage: Usage?
    }

    /// What was given out to start the model session from.
    struct Given {
      /// Where the entries are stored, by the keys with which they come back; nil for what was put in.
      var positions: [String: Int?] = [:]
      /// The key of the last.
      var last: String?
      /// The last that is stored, as it was then.
      var anchor: Entry?

      /// The stored entry that what is new follows, of a transcript that begins with these.
      func anchor(of keys: [String], in session: Session) async throws -> Entry? {
        if keys.last == last { return anchor }
        guard let position = keys.reversed().lazy.compactMap({ positions[$0] ?? nil }).first
        else { return nil }
        // In a task of its own: it is asked also when an answer has come and the caller is cancelled.
        return try await Task { try await session.entry(at: position) }.value
      }
    }

    /// Which entries a transcript has.
    struct Mark: Equatable {
      private var ids: [String] = []
      /// An app may change what it says and leave its id.
      private var first: Transcript.Entry?

      init() {}

      init(_ transcript: Transcript) {
        ids = transcript.map(\.id)
        first = transcript.first
      }
    }
  }
#endif
