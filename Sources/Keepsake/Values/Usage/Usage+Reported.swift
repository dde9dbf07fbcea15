#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Usage {
  /// Reads the report of a service: the forms of OpenAI, Anthropic and Google, and of frameworks around them.
  ///
  /// The report itself is kept to the letter as ``source``, even in an unknown form. An object with the members `input`,
  /// `cachedInput`, `output`, `reasoning`, `cost` and `source` gives these values directly.
  /// - Parameter source: The report.
  public init(reported source: JSON) {
    if let own = Usage(own: source) {
      self = own
      return
    }
    self.init(source: source)
    guard let shape = UsageShape.all.first(where: { $0.fits(source) }) else { return }
    input = shape.sum(shape.input, in: source)
    cachedInput = shape.first(shape.cachedInput, in: source)
    output = shape.sum(shape.output, in: source)
    reasoning = shape.first(shape.reasoning, in: source)
    if let amount = source["cost_usd"].flatMap(Decimal.init(json:)) { cost = Cost(amount, "USD") }
  }
}
