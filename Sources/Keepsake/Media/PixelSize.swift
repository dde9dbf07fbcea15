/// The width and height of an image, in pixels.
///
/// As stored: a rotation that the image asks for (EXIF orientation in JPEG, `irot` in HEIC)
/// is not applied, so a portrait photo may be wider than high here.
public struct PixelSize: Sendable, Hashable, Codable {
  public let width: Int
  public let height: Int

  /// Refuses sizes that no image has: a side below 1 or above 2,147,483,647.
  public init?(width: Int, height: Int) {
    guard 1...Int(Int32.max) ~= width, 1...Int(Int32.max) ~= height else { return nil }
    self.width = width
    self.height = height
  }

  /// Reads a size, and refuses the same sides as `init(width:height:)`.
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
  /// `640×480`
  public var description: String { "\(width)×\(height)" }
}
