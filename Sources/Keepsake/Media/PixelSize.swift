/// The width and height of an image, in pixels.
///
/// The size is that of the stored pixels: a rotation that the image asks for (EXIF orientation in JPEG, `irot` in HEIC) is not
/// applied, so a portrait photo may be wider than it is high.
public struct PixelSize: Sendable, Hashable, Codable {
  /// The width in pixels.
  public let width: Int
  /// The height in pixels.
  public let height: Int

  /// Creates a size; nil for a size that no image has, with a side below 1 or above 2,147,483,647.
  public init?(width: Int, height: Int) {
    guard 1...Int(Int32.max) ~= width, 1...Int(Int32.max) ~= height else { return nil }
    self.width = width
    self.height = height
  }

  /// Reads a size; throws for the same sides that `init(width:height:)` refuses.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let width = try container.decode(Int.self, forKey: .width)
    let height = try container.decode(Int.self, forKey: .height)
    guard let size = PixelSize(width: width, height: height) else {
      throw DecodingError.dataCorruptedError(
        forKey: .width, in: container,
        debugDescription:
          "No image is \(width) by \(height) pixels: sides go from 1 to \(Int32.max).")
    }
    self = size
  }
}

extension PixelSize: CustomStringConvertible {
  /// The size as text, such as `640×480`.
  public var description: String { "\(width)×\(height)" }
}
