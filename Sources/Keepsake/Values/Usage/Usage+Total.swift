#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Usage {
  /// The summed-up usage of several answers.
  public struct Total: Sendable, Hashable {
    /// The number of entries with a known usage; others add nothing.
    public private(set) var entries = 0
    /// The tokens that models read.
    public private(set) var input = 0
    /// The part of the input that came from a cache.
    public private(set) var cachedInput = 0
    /// The tokens that models wrote.
    public private(set) var output = 0
    /// The part of the output that was reasoning.
    public private(set) var reasoning = 0
    /// The sum of the costs for each currency, in the order of the currencies' codes.
    public private(set) var costs: [Cost] = []

    /// Creates an empty sum.
    public init() {}

    /// Adds the usage of an answer.
    public mutating func add(_ usage: Usage) {
      entries += 1
      input = Self.sum(input, usage.input)
      cachedInput = Self.sum(cachedInput, usage.cachedInput)
      output = Self.sum(output, usage.output)
      reasoning = Self.sum(reasoning, usage.reasoning)
      if let cost = usage.cost { add(cost) }
    }

    /// Adds another sum.
    public mutating func add(_ other: Total) {
      entries += other.entries
      input = Self.sum(input, other.input)
      cachedInput = Self.sum(cachedInput, other.cachedInput)
      output = Self.sum(output, other.output)
      reasoning = Self.sum(reasoning, other.reasoning)
      for cost in other.costs { add(cost) }
    }

    private mutating func add(_ cost: Cost) {
      if let index = costs.firstIndex(where: { $0.currency == cost.currency }) {
        costs[index].amount += cost.amount
      } else {
        costs.append(cost)
        costs.sort { $0.currency < $1.currency }
      }
    }

    /// Adds a count; a sum that is too large stays at the largest number, because a source may report any number.
    private static func sum(_ total: Int, _ count: Int?) -> Int {
      let (sum, isTooLarge) = total.addingReportingOverflow(count ?? 0)
      return isTooLarge ? .max : sum
    }
  }

  /// The usage of one session, model, tool, origin or day.
  public struct Share: Sendable, Hashable {
    /// The session's id, the model, the tool, the origin, or the day as `2026-11-23`.
    ///
    /// Nil for answers without it: answers that call no tool, answers of unknown time, model or origin, and answers of deleted
    /// sessions that forks still show.
    public let name: String?
    /// The title of a session, or another text by which people recognize it; nil for other shares.
    public let title: String?
    /// The summed-up usage.
    public let total: Total
  }

  /// A criterion by which usage is summed up.
  public struct Grouping: Sendable {
    /// The criteria by which usage can be summed up.
    enum Kind: Sendable {
      case session, model, tool, origin
      case day(secondsAhead: @Sendable (Int64) -> Int)
    }

    let kind: Kind

    /// Sums up by the session that recorded the answer; an answer that forks share counts once.
    public static let session = Grouping(kind: .session)
    /// Sums up by the model that made the answer.
    public static let model = Grouping(kind: .model)
    /// Sums up by the tools that the answer called; an answer that called two tools counts for both.
    public static let tool = Grouping(kind: .tool)
    /// Sums up by the origin of the session.
    public static let origin = Grouping(kind: .origin)
    /// Sums up by the day in UTC.
    public static let day = Grouping.day { _ in 0 }

    /// Sums up by the day in a time zone.
    public static func day(in zone: TimeZone) -> Grouping {
      .day { zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double($0))) }
    }

    /// Sums up by the day of a clock; the closure gives its seconds ahead of UTC for a time in seconds since 1970.
    package static func day(secondsAhead: @escaping @Sendable (Int64) -> Int) -> Grouping {
      Grouping(kind: .day(secondsAhead: secondsAhead))
    }
  }
}
