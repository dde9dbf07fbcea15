/// A limit for a ratio, or for the value itself.
package enum Goal: Sendable {
  case ratioAtLeast(Double)
  case ratioAtMost(Double)
  case valueAtMost(Double)
  case valueAtLeast(Double)
  /// No limit. The row only shows a figure.
  case none

  func isMet(value: Double, ratio: Double?) -> Bool {
    switch self {
    case .ratioAtLeast(let limit): (ratio ?? -.infinity) >= limit
    case .ratioAtMost(let limit): (ratio ?? .infinity) <= limit
    case .valueAtMost(let limit): value <= limit
    case .valueAtLeast(let limit): value >= limit
    case .none: true
    }
  }

  func text(unit: String) -> String {
    switch self {
    case .ratioAtLeast(let limit): ">= \(limit)x"
    case .ratioAtMost(let limit): "<= \(limit)x"
    case .valueAtMost(let limit): "<= \(limit) \(unit)"
    case .valueAtLeast(let limit): ">= \(limit) \(unit)"
    case .none: ""
    }
  }
}
