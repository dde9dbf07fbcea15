#if canImport(FoundationModels)
  import KeepsakeFiles
  import FoundationModels
  public import Keepsake

  /// Keeps a model session, and what its tools make, in a session of a store.
  ///
  /// Make the keeper before the `LanguageModelSession`, wrap the tools with `keeping(_:filesFrom:)`, begin with
  /// ``transcript(fitting:references:)``, and ask through ``turn(_:in:retrying:_:)`` or
  /// ``streaming(_:in:retrying:_:onSnapshot:)``. Use one keeper for the whole life of the model session: it remembers
  /// what it gave out, so that a text that stood for an image is never saved as if it had been said.
  ///
  /// **Other instructions.** A model session may be given other instructions than the stored ones, for example of
  /// another profile. That never parts it from the conversation. The beginning of its transcript is compared with the
  /// instructions of the keeper's lane. Other instructions become a revision of the stored ones, so that the next
  /// transcript begins with them. Where the lane has none, they become an entry of the turn that first used them. A
  /// fork never changes the instructions that it shares: it gets its own.
  ///
  /// **Another history.** A transcript parts ways with the stored session where it lacks the newest stored entries,
  /// and has other entries in their place. The stored entries stay. With `.fork` the keeper moves on to a fork before
  /// the model is asked, and ``session`` is that fork from then on. With `.fail` the model is asked nevertheless, and
  /// the turn is kept at the end of the stored session: its prompt, its calls and outputs, its answer. The detail of
  /// the turn says that the model was given another transcript.
  @available(macOS 26, iOS 26, visionOS 26, watchOS 27, *)
  @available(tvOS, unavailable)
  public final class Keeper: Sendable {
    /// The lane of this model session in a conversation of several model sessions; nil where there is only one.
    public let lane: String?
    /// The app's name for the model; nil to use the model's own name.
    public let model: String?
    /// The way to treat a transcript that parts ways with the stored session.
    public let divergence: Session.Divergence
    let state: Locked<State>

    /// The session in which everything is kept.
    ///
    /// It is the session that the keeper was made with. After a transcript parted ways with that session and a fork
    /// was asked for, it is the fork.
    public var session: Session { state.withLock { $0.session } }

    /// Creates a keeper.
    /// - Parameters:
    ///   - session: The session in which everything is kept.
    ///   - lane: The lane of this model session, which is not given the entries of other lanes.
    ///   - model: The model's name, with which its answers are recorded. nil stands for the model's own name, which
    ///     is known from OS 27 on when the transcript is made for the model.
    ///   - divergence: What happens with a transcript that parts ways with the stored session. A turn and its answer
    ///     are kept in any case.
    public init(
      _ session: Session, lane: String? = nil, model: String? = nil,
      ifDiverging divergence: Session.Divergence = .fail
    ) {
      self.lane = lane
      self.model = model
      self.divergence = divergence
      state = Locked(State(session: session, model: model))
    }

    /// The knowledge of the keeper about the transcript of the model session.
    struct State {
      var session: Session
      /// The name of the model that answers.
      var model: String?
      /// The models and usage of entries, which transcripts do not state, by the entries' keys.
      var reports: [String: Report] = [:]
      /// The wrapped tools by name, whose schemas the model is given.
      var tools: [String: any Tool] = [:]
      var given = Given()
      /// The stored instructions at the beginning of the transcript, in the form in which they come back with it.
      var instructions: [Entry] = []
      /// The state of the transcript up to which it is saved.
      var saved = Mark()
      /// The position where the transcript parted ways with the stored session; nil where it did not. Then only turns
      /// are kept.
      var parting: Int?
    }

    /// The model and the usage of an entry that a model made.
    struct Report {
      var model: String?
      /// The usage of the turn, for the entry of its answer.
      var usage: Usage?
    }

    /// The entries that were given out to start the model session from.
    struct Given {
      /// The positions of the entries by the keys with which they come back; nil for an entry that is not stored.
      var positions: [String: Int?] = [:]
      /// The key of the last entry.
      var last: String?
      /// The last stored entry, as it was when it was given out.
      var anchor: Entry?

      /// The stored entry that the new entries of a transcript follow.
      /// - Parameters:
      ///   - keys: The keys of the given out entries that the transcript begins with.
      ///   - session: The session with the stored entries.
      func anchor(of keys: [String], in session: Session) async throws -> Entry? {
        if keys.last == last { return anchor }
        guard let position = keys.reversed().lazy.compactMap({ positions[$0] ?? nil }).first
        else { return nil }
        // The entry is read in a task of its own, because the caller may be cancelled when an answer has come.
        return try await Task { try await session.entry(at: position) }.value
      }
    }

    /// Identifies the state of a transcript by its entries' ids.
    struct Mark: Equatable {
      private var ids: [String] = []
      /// The first entry, which an app may change without changing its id.
      private var first: Transcript.Entry?

      init() {}

      init(_ transcript: Transcript) {
        ids = transcript.map(\.id)
        first = transcript.first
      }
    }
  }
#endif
