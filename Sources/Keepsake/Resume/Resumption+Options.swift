extension Resumption {
  /// What a session is given back for.
  public struct Options: Sendable {
    /// The lane that it is for: entries of other lanes are left out, those without a lane are for all. Without one,
    /// entries of all lanes go out.
    public var lane: String?
    /// The statuses of entries that go out. A turn that failed, was cancelled, interrupted or refused goes with them,
    /// unless it has a complete response.
    public var statuses: Set<Entry.Status> = [.complete]
    /// Whether the model can be given images. To one that can't, a line such as
    /// `[image placeholder] image_1: a ripe banana` tells of each.
    public var seesImages = true
    /// How references to the session's attachments are spelled; nil leaves them as they were.
    public var references: Mention.Spelling?
    /// Whether what a model would refuse is repaired: calls without outputs, outputs without calls, unanswered prompts.
    public var heals = true
    /// What the list begins with where no instructions were recorded.
    ///
    /// Resuming records nothing. They are recorded as an entry of their own, before what is new, when a list that begins
    /// with them is saved; a keeper of Apple's framework does so in the turn that first uses them. An app that appends
    /// entry by entry appends them too.
    public var instructions: String?
    /// How much may go out.
    public var budget: Budget?

    public init(
      lane: String? = nil, budget: Budget? = nil, references: Mention.Spelling? = nil
    ) {
      self.lane = lane
      self.budget = budget
      self.references = references
    }
  }

  /// How many tokens may go out, how they are counted, and what becomes of turns that don't fit.
  public struct Budget: Sendable {
    /// Counts what a list of entries comes to. More entries must not come to less.
    public typealias Counter = @Sendable ([Entry]) async throws -> Int
    /// Says in few words what turns said, the oldest first; nil to drop them.
    public typealias Condenser = @Sendable (_ turns: [[Entry]]) async throws -> String?

    public var limit: Int
    /// nil for the estimate of ``Entry/estimatedTokens``. It is asked about log₂(turns) + 2 times.
    public var counter: Counter?
    /// nil to drop the turns that don't fit. It is asked once, and once more where its words make another turn give way.
    public var condenser: Condenser?

    public init(limit: Int, counter: Counter? = nil, condenser: Condenser? = nil) {
      self.limit = limit
      self.counter = counter
      self.condenser = condenser
    }

    /// A number of tokens, by the estimate.
    public static func tokens(_ limit: Int) -> Budget { Budget(limit: limit) }
  }
}
