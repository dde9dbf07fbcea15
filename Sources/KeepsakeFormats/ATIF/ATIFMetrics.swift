#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Sums the tokens and the cost of answers as a trajectory states them. A number that no answer reported is left out.
struct ATIFMetrics {
  private(set) var isEmpty = true
  private var input: Int?
  private var cached: Int?
  private var output: Int?
  private var reasoning: Int?
  private var dollars: Decimal?
  /// Costs in currencies other than the dollar, by currency code.
  private var others: [String: Decimal] = [:]

  mutating func add(_ usage: Usage) {
    isEmpty = false
    input = Self.sum(input, usage.input)
    cached = Self.sum(cached, usage.cachedInput)
    output = Self.sum(output, usage.output)
    reasoning = Self.sum(reasoning, usage.reasoning)
    guard let cost = usage.cost else { return }
    if cost.currency == "USD" {
      dollars = (dollars ?? 0) + cost.amount
    } else {
      others[cost.currency, default: 0] += cost.amount
    }
  }

  /// The metrics of one step.
  var ofStep: JSON { json(prefix: "", counting: nil) }

  /// The metrics of a whole trajectory, with its number of steps.
  func ofTrajectory(steps: Int) -> JSON { json(prefix: "total_", counting: steps) }

  private func json(prefix: String, counting steps: Int?) -> JSON {
    var members: [(String, JSON)] = []
    func add(_ name: String, _ count: Int?) {
      if let count { members.append((name, .number(Int64(count)))) }
    }
    add(prefix + "prompt_tokens", input)
    add(prefix + "completion_tokens", output)
    add(prefix + "cached_tokens", cached)
    if let dollars, let amount = Self.amount(dollars, "USD") {
      members.append((prefix + "cost_usd", amount))
    }
    add(prefix + "steps", steps)
    var extra: [(String, JSON)] = []
    if let reasoning { extra.append((prefix + "reasoning_tokens", .number(Int64(reasoning)))) }
    if !others.isEmpty {
      let costs = others.sorted { $0.key < $1.key }.compactMap { code, sum in
        Self.amount(sum, code).map { (code, $0) }
      }
      extra.append((prefix + "cost", .object(costs)))
    }
    if !extra.isEmpty { members.append(("extra", .object(extra))) }
    return .object(members)
  }

  private static func amount(_ sum: Decimal, _ currency: String) -> JSON? {
    Usage.Cost(sum, currency).json["amount"]
  }

  /// Adds two counts. A foreign file may hold any number, so a sum that overflows becomes the largest integer.
  private static func sum(_ total: Int?, _ count: Int?) -> Int? {
    guard let total, let count else { return total ?? count }
    let (sum, isTooLarge) = total.addingReportingOverflow(count)
    return isTooLarge ? .max : sum
  }
}
