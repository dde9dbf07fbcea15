#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension JSON {
  /// Encodes a value, the members of each object in the order of their names, so that equal values give equal texts.
  ///
  ///     entry.metadata = try JSON(encoding: Cover(page: 3, isFolded: true))
  ///
  /// - Parameters:
  ///   - value: The value.
  ///   - encoder: For dates, data and names in another spelling. Its own formatting counts then.
  public init(encoding value: some Encodable, with encoder: JSONEncoder? = nil) throws {
    if let json = value as? JSON {
      self = json
      return
    }
    try self.init(validating: Array((encoder ?? Self.plainEncoder).encode(value)))
  }

  /// Reads a value as one of your types.
  ///
  ///     let cover = try entry.metadata?.decode(as: Cover.self)
  ///
  /// - Parameters:
  ///   - type: The type.
  ///   - decoder: For dates, data and names in another spelling.
  public func decode<Value: Decodable>(
    as type: Value.Type = Value.self, with decoder: JSONDecoder = .init()
  ) throws -> Value {
    if let value = self as? Value { return value }
    return try decoder.decode(Value.self, from: Data(bytes))
  }

  private static var plainEncoder: JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return encoder
  }
}
