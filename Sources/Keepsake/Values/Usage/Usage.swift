#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The tokens that an answer used, and their cost.
///
/// Services count in different ways. Here the input is everything that the model read, including cached tokens, and the output
/// is everything that it wrote, including reasoning. An unknown value is nil.
public struct Usage: Sendable, Hashable {
  /// The tokens that the model read.
  public var input: Int?
  /// The part of the ``input`` that came from a cache.
  public var cachedInput: Int?
  /// The tokens that the model wrote.
  public var output: Int?
  /// The part of the ``output`` that was reasoning.
  public var reasoning: Int?
  /// The cost of the answer.
  public var cost: Cost?
  /// The report of the service, to the letter.
  public var source: JSON?

  /// An amount of money.
  public struct Cost: Sendable, Hashable, Codable {
    /// The amount, in units of the currency.
    public var amount: Decimal
    /// The code of the currency, such as USD.
    public var currency: String

    /// Creates an amount of money.
    public init(_ amount: Decimal, _ currency: String) {
      self.amount = amount
      self.currency = currency
    }
  }

  /// Creates a usage; values that are unknown are nil.
  ///
  /// - Parameters:
  ///   - input: The tokens that the model read.
  ///   - cachedInput: The part of the input that came from a cache.
  ///   - output: The tokens that the model wrote.
  ///   - reasoning: The part of the output that was reasoning.
  ///   - cost: The cost of the answer.
  ///   - source: The report of the service, to the letter.
  public init(
    input: Int? = nil, cachedInput: Int? = nil, output: Int? = nil, reasoning: Int? = nil,
    cost: Cost? = nil, source: JSON? = nil
  ) {
    self.input = input
    self.cachedInput = cachedInput
    self.output = output
    self.reasoning = reasoning
    self.cost = cost
    self.source = source
  }
}

// MARK: - As JSON

extension Usage {
  /// The stored form: the service's report to the letter if it gives the same values, or else an object of these members.
  var json: JSON {
    if let source, Usage(reported: source) == self { return source }
    var members: [(String, JSON)] = []
    for (name, path) in Self.counts {
      if let count = self[keyPath: path] { members.append((name, .number(Int64(count)))) }
    }
    if let cost { members.append(("cost", cost.json)) }
    if let source { members.append(("source", source)) }
    return .object(members)
  }

  /// Reads an object of this type's own members; nil for any object with other members or invalid values.
  init?(own json: JSON) {
    guard let members = json.members else { return nil }
    self.init()
    for (name, value) in members {
      if let count = Self.counts.first(where: { $0.name == name }) {
        guard let number = UsageShape.count(value) else { return nil }
        self[keyPath: count.path] = number
      } else if name == "cost" {
        guard let cost = Cost(value) else { return nil }
        self.cost = cost
      } else if name == "source" {
        source = value
      } else {
        return nil
      }
    }
  }

  private static var counts: [(name: String, path: WritableKeyPath<Usage, Int?>)] {
    [
      ("input", \.input), ("cachedInput", \.cachedInput), ("output", \.output),
      ("reasoning", \.reasoning),
    ]
  }
}

extension Usage.Cost {
  /// The cost as a JSON object, whose amount has exactly the digits of the decimal.
  package var json: JSON {
    .object([("amount", amount.json), ("currency", .string(currency))])
  }

  init?(_ json: JSON) {
    guard let members = json.members, members.count == 2,
      let amount = json["amount"].flatMap(Decimal.init(json:)),
      let currency = json["currency"]?.stringValue
    else { return nil }
    self.init(amount, currency)
  }
}

extension Decimal {
  fileprivate var json: JSON {
    // Only a decimal that is not a number fails, because JSON has no such value.
    (try? JSON(validating: description)) ?? .null
  }

  init?(json: JSON) {
    guard json.kind == .number else { return nil }
    self.init(string: json.text)
  }
}

extension Entry {
  /// The usage of the answer; nil if it is unknown.
  ///
  /// A service's report can be kept as it is: `entry.usage = Usage(reported: json)`.
  public var usage: Usage? {
    get { rawUsage.map(Usage.init(reported:)) }
    set { rawUsage = newValue?.json }
  }
}
