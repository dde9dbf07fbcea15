/// The limits of the services. They change, and differ between the ways to a service, so each can be set.
package struct RescueLimits: Sendable, Hashable {
  /// The month in which the limits were last compared with documentation and reports.
  package static let asOf = "2026-11"

  /// A limit with the name by which a person sets it.
  package struct Limit: Sendable {
    package let name: String
    package let says: String
    let value: any WritableKeyPath<RescueLimits, Int> & Sendable
    /// The usual value of the limit.
    package var usual: Int { RescueLimits()[keyPath: value] }
  }

  package static let all: [Limit] = [
    .init(name: "image-bytes", says: "base64 of one image", value: \.imageBytes),
    .init(name: "image-side", says: "pixels of an image's longer side", value: \.imageSide),
    .init(
      name: "image-side-among-many", says: "the same among many images", value: \.imageSideAmongMany
    ),
    .init(name: "many-images", says: "images that are not many yet", value: \.manyImages),
    .init(name: "images", says: "images and pages of documents", value: \.images),
    .init(name: "document-pages", says: "pages of one document", value: \.documentPages),
    .init(name: "request-bytes", says: "all that is sent", value: \.requestBytes),
    .init(name: "tokens", says: "the model's window", value: \.tokens),
  ]

  /// The largest base64 of one image, in bytes. All known error messages speak of 5 MiB.
  package var imageBytes = 5_242_880
  package var imageSide = 8_000
  package var imageSideAmongMany = 2_000
  package var manyImages = 20
  /// The largest number of images with a window of 200,000 tokens; models with a larger window take 600.
  package var images = 100
  package var documentPages = 100
  package var requestBytes = 32_000_000
  package var tokens = 200_000

  /// Creates the usual limits of Anthropic's service.
  init() {}

  /// The usual limits of OpenAI's service for Codex.
  static var codex: RescueLimits {
    var limits = RescueLimits()
    limits.requestBytes = 67_108_864
    return limits
  }

  /// Returns whether there is a limit with a name.
  package static func has(_ name: String) -> Bool { all.contains { $0.name == name } }

  /// Returns the limits with some of them set to other values, by name.
  func setting(_ numbers: [String: Int]) -> RescueLimits {
    var limits = self
    for limit in Self.all {
      if let number = numbers[limit.name] { limits[keyPath: limit.value] = number }
    }
    return limits
  }
}
