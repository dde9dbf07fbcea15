#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Usage {
  /// What several answers took.
  public struct Total: Sendable, Hashable {
    /// How many entries say what they took; the others count nothing.
    public private(set) var entries = 0
    public private(set) var input = 0
    public private(set) var cachedInput = 0
    public private(set) var output = 0
    public private(set) var reasoning = 0
    /// A sum for each currency, in the order of their codes.
    public private(set) var costs: [Cost] = []

    public init() {}

    public mutating func add(_ usage: Usage) {
      entries += 1
      input = Self.sum(input, usage.input)
      cachedInput = Self.sum(cachedInput, usage.cachedInput)
      output = Self.sum(output, usage.output)
      reasoning = Self.sum(reasoning, usage.reasoning)
      if let cost = usage.cost { add(cost) }
    }

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

    /// A source may say any number; a sum that has no room stays the largest one.
    private static func sum(_ total: Int, _ count: Int?) -> Int {
      let (sum, isTooLarge) = total.addingReportingOverflow(count ?? 0)
      return isTooLarge ? .max : sum
    }
  }

  /// What the answers of one session, model, tool, origin or day took.
  public struct Share: Sendable, Hashable {
    /// A session's id, a model, a tool, an origin, or a day as `2026-11-23`; nil of answers where that is not known, which
    /// call no tool, or whose session was deleted while forks still show them.
    public let name: String?
    /// What people tell a session from others by; nil where the share is not that of a session.
    public let title: String?
    public let total: Total
  }

  /// What is added up.
  public struct Grouping: Sendable {
    enum Kind: Sendable {
      case session, model, tool, origin
      case day(secondsAhead: @Sendable (Int64) -> Int)
    }

    let kind: Kind

    /// By the session that recorded the answer; one that forks share counts once.
    public static let session = Grouping(kind: .session)
    /// By the model that made the answer.
    public static let model = Grouping(kind: .model)
    /// By the tools that the answer called; one that called two counts for both.
    public static let tool = Grouping(kind: .tool)
    /// By where the session came from.
    public static let origin = Grouping(kind: .origin)
    /// By the day of UTC.
    public static let day = Grouping.day { _ in 0 }

    /// By the day in a time zone.
    public static func day(in zone: TimeZone) -> Grouping {
      .day { zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double($0))) }
    }

    /// By the day of a clock that is so many seconds ahead of UTC at a time, in seconds since 1970.
    package static func day(secondsAhead: @escaping @Sendable (Int64) -> Int) -> Grouping {
      Grouping(kind: .day(secondsAhead: secondsAhead))
    }
  }
}
