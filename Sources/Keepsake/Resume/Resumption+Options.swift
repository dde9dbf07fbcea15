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

  /// How large a model's context window is, how tokens are counted, and what becomes of turns that don't fit.
  ///
  /// The window holds what goes out, the schemas of the tools, the next prompt and the answer. So not all of it goes out.
  public struct Budget: Sendable {
    /// Counts what a list of entries comes to. More entries must not come to less.
    public typealias Counter = @Sendable ([Entry]) async throws -> Int
    /// Says in few words what turns said, the oldest first; nil to drop them.
    public typealias Condenser = @Sendable (_ turns: [[Entry]]) async throws -> String?

    /// How many tokens the window has.
    public var limit: Int
    /// How many of them stay free for the next prompt and the answer; nil for a quarter of the limit, at most 8,192.
    /// Give 0 where the limit is for what goes out alone.
    public var reserve: Int?
    /// How many tokens the schema of each tool takes that the app gives the model, by its name. Tools that the
    /// instructions of the session describe are counted with them.
    public var tools: [String: Int] = [:]
    /// nil for the estimate of ``Entry/estimatedTokens``. It is asked about log₂(turns) + 2 times.
    public var counter: Counter?
    /// nil to drop the turns that don't fit. It is asked once, and once more where its words make another turn give way.
    public var condenser: Condenser?

    public init(
      limit: Int, reserve: Int? = nil, counter: Counter? = nil, condenser: Condenser? = nil
    ) {
      self.limit = limit
      self.reserve = reserve
      self.counter = counter
      self.condenser = condenser
    }

    /// A window of so many tokens, by the estimate.
    /// - Parameters:
    ///   - limit: How many tokens the window has.
    ///   - reserve: How many of them stay free for the next prompt and the answer; nil for a quarter of them, at most
    ///     8,192.
    public static func tokens(_ limit: Int, reserving reserve: Int? = nil) -> Budget {
      Budget(limit: limit, reserve: reserve)
    }
  }
}

extension Resumption.Budget {
  private static let greatestReserve = 8_192

  /// How many tokens the entries may come to, beside tools of so many.
  func room(beside tools: Int) -> Int {
    limit - (reserve ?? min(limit / 4, Self.greatestReserve)) - tools
  }

  /// The smallest limit that has room for so many tokens.
  func limit(for tokens: Int) -> Int {
    if let reserve { return tokens + reserve }
    // A limit gives three quarters of its tokens, rounded down, to the transcript and reserves the rest.
    let quartered = (4 * (tokens - 1)) / 3 + 1
    return min(quartered, tokens + Self.greatestReserve)
  }
}
