#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What an answer took: tokens, and what they cost.
///
/// Services count in different ways. Here the input is all that the model read, with what came from a cache, and the
/// output all that it wrote, with its reasoning. What is not known is nil.
public struct Usage: Sendable, Hashable {
  /// Tokens that the model read.
  public var input: Int?
  /// The part of the ``input`` that came from a cache.
  public var cachedInput: Int?
  /// Tokens that the model wrote.
  public var output: Int?
  /// The part of the ``output`` that was its reasoning.
  public var reasoning: Int?
  public var cost: Cost?
  /// What the service itself said, to the letter.
  public var source: JSON?

  /// An amount of money.
  public struct Cost: Sendable, Hashable, Codable {
    public var amount: Decimal
    /// By its code: USD.
    public var currency: String

    public init(_ amount: Decimal, _ currency: String) {
      self.amount = amount
      self.currency = currency
    }
  }

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
  /// What is stored: what a service said, to the letter, where it says all of this; else an object of these members.
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

  /// Reads an object of our own members; nil where there is another one, or one that says what it does not say with us.
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
  /// As an object; the amount is a number of as many digits as it has.
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
    // Not a number, which no JSON can say, is the only one that fails.
    (try? JSON(validating: description)) ?? .null
  }

  init?(json: JSON) {
    guard json.kind == .number else { return nil }
    self.init(string: json.text)
  }
}

extension Entry {
  /// What the answer took, where that is known.
  ///
  /// What a service reported can be kept as it stands: `entry.usage = Usage(reported: json)`.
  public var usage: Usage? {
    get { rawUsage.map(Usage.init(reported:)) }
    set { rawUsage = newValue?.json }
  }
}
