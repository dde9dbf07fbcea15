#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension JSON {
  /// Encodes a value, with the members of each object sorted by name, so that equal values give equal texts.
  ///
  ///     entry.metadata = try JSON(encoding: Cover(page: 3, isFolded: true))
  ///
  /// - Parameters:
  ///   - value: The value to encode.
  ///   - encoder: An encoder with other settings for dates, data, names and formatting; nil for the default.
  /// - Throws: The error of the encoder.
  public init(encoding value: some Encodable, with encoder: JSONEncoder? = nil) throws {
    if let json = value as? JSON {
      self = json
      return
    }
    try self.init(validating: Array((encoder ?? Self.plainEncoder).encode(value)))
  }

  /// Decodes the value as one of your types.
  ///
  ///     let cover = try entry.metadata?.decode(as: Cover.self)
  ///
  /// - Parameters:
  ///   - type: The type.
  ///   - decoder: A decoder with other settings for dates, data and names.
  /// - Returns: The decoded value.
  /// - Throws: The error of the decoder.
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
