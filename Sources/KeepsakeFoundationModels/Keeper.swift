#if canImport(FoundationModels)
  import Files
  import FoundationModels
  public import Keepsake

  /// Keeps what a model session says, and what its tools make, in a session of a store.
  ///
  /// Make it before the `LanguageModelSession`, wrap the tools with ``keeping(_:filesFrom:)``, begin with
  /// ``transcript(fitting:references:)``, and ask through ``turn(_:in:retrying:_:)`` or
  /// ``streaming(_:in:retrying:_:onSnapshot:)``. Have one keeper as long as there is the model session: it remembers what
  /// it gave out, so that words which stood for an image are never saved as if they had been said.
  @available(macOS 26, iOS 26, visionOS 26, watchOS 27, *)
  @available(tvOS, unavailable)
  public final class Keeper: Sendable {
    /// Where everything goes.
    public let session: Session
    /// The lane of this model session, in a conversation that is stitched from several; nil where there is one.
    public let lane: String?
    let state = Locked(State())

    /// - Parameters:
    ///   - session: Where everything goes.
    ///   - lane: The lane of this model session: what other lanes said is not given to it.
    public init(_ session: Session, lane: String? = nil) {
      self.session = session
      self.lane = lane
    }

    /// What is known of the model session's transcript.
    struct State {
      /// The keys of the entries that were given out, as they come back with the transcript.
      var given: Set<String> = []
      /// The last of them that is stored: what is new in the transcript follows it.
      var anchor: Entry?
      /// How far the transcript is saved.
      var saved = Mark()
    }

    /// How long a transcript is, and what ends it.
    struct Mark: Equatable {
      var count = 0
      var last: String?

      init() {}

      init(_ transcript: Transcript) {
        count = transcript.count
        last = transcript.last?.id
      }
    }
  }
#endif
