extension Resumption {
  /// The purpose and the limits of a resumption.
  public struct Options: Sendable {
    /// The lane that is resumed: entries of other lanes are left out, and entries without a lane stay; nil for all lanes.
    public var lane: String?
    /// The statuses of entries that go out.
    ///
    /// A turn that failed, or was cancelled, interrupted or refused, goes out by the same rule, except that it stays if it has
    /// a complete response.
    public var statuses: Set<Entry.Status> = [.complete]
    /// Tells whether the model accepts images; otherwise a line such as `[image placeholder] image_1: a ripe banana` replaces each.
    public var seesImages = true
    /// The spelling of references to the session's attachments; nil to leave them as they are.
    public var references: Mention.Spelling?
    /// Tells whether to repair what a model would refuse: calls without outputs, outputs without calls, unanswered prompts.
    public var heals = true
    /// The first entry's text, if no instructions were recorded.
    ///
    /// A resumption records nothing. Saving a list that begins with these instructions records them as an entry, before the new
    /// entries; a keeper of Apple's framework does so in the turn that first uses them. An app that appends single entries has
    /// to append them too.
    public var instructions: String?
    /// The budget for the entries; nil without a limit.
    public var budget: Budget?

    /// Creates options; by default everything goes out.
    public init(
      lane: String? = nil, budget: Budget? = nil, references: Mention.Spelling? = nil
    ) {
      self.lane = lane
      self.budget = budget
      self.references = references
    }
  }

  /// The size of a model's context window, the way to count tokens, and the treatment of turns that don't fit.
  ///
  /// The window must hold the entries, the schemas of the tools, the next prompt and the answer, so the entries cannot use all
  /// of it.
  public struct Budget: Sendable {
    /// Counts the tokens of a list of entries; more entries must not give fewer tokens.
    public typealias Counter = @Sendable ([Entry]) async throws -> Int
    /// Summarizes turns, oldest first, in few words; nil to drop the turns.
    public typealias Condenser = @Sendable (_ turns: [[Entry]]) async throws -> String?

    /// The size of the window in tokens.
    public var limit: Int
    /// The tokens that stay free for the next prompt and the answer; nil for a quarter of the limit, at most 8,192.
    ///
    /// Use 0 if the limit applies to the entries alone.
    public var reserve: Int?
    /// The tokens for the schema of each tool that the app gives to the model, by name.
    ///
    /// Tools that the session's instructions describe are counted with the instructions, and ignored here.
    public var tools: [String: Int] = [:]
    /// The counter; nil for the estimate of ``Entry/estimatedTokens``. It is called about log₂(turns) + 2 times.
    public var counter: Counter?
    /// The condenser; nil to drop turns that don't fit. It is called once, and again if its summary displaces another turn.
    public var condenser: Condenser?

    /// Creates a budget.
    ///
    /// - Parameters:
    ///   - limit: The size of the window in tokens.
    ///   - reserve: The tokens that stay free for the next prompt and the answer.
    ///   - counter: The counter; nil for the estimate.
    ///   - condenser: The condenser; nil to drop turns that don't fit.
    public init(
      limit: Int, reserve: Int? = nil, counter: Counter? = nil, condenser: Condenser? = nil
    ) {
      self.limit = limit
      self.reserve = reserve
      self.counter = counter
      self.condenser = condenser
    }

    /// Creates a budget of tokens that are counted by the estimate.
    ///
    /// - Parameters:
    ///   - limit: The size of the window in tokens.
    ///   - reserve: The tokens that stay free for the next prompt and the answer; nil for a quarter of the limit, at most
    ///     8,192.
    /// - Returns: The budget.
    public static func tokens(_ limit: Int, reserving reserve: Int? = nil) -> Budget {
      Budget(limit: limit, reserve: reserve)
    }
  }
}

extension Resumption.Budget {
  private static let greatestReserve = 8_192

  /// Returns the most tokens that the entries may have, beside a number of tokens for tools.
  func room(beside tools: Int) -> Int {
    limit - (reserve ?? min(limit / 4, Self.greatestReserve)) - tools
  }

  /// Returns the smallest limit that has room for a number of tokens.
  func limit(for tokens: Int) -> Int {
    if let reserve { return tokens + reserve }
    // A limit gives three quarters of its tokens, rounded down, to the entries, and reserves the rest.
    let quartered = (4 * (tokens - 1)) / 3 + 1
    return min(quartered, tokens + Self.greatestReserve)
  }
}
