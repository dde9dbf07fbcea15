/// What the services take at most. These limits change, and differ by the way to a service: each can be set.
package struct RescueLimits: Sendable, Hashable {
  /// When the table was last compared with what is documented and reported.
  package static let asOf = "2026-11"

  /// A limit by the name that a person sets it by.
  package struct Limit: Sendable {
    package let name: String
    package let says: String
    let value: any WritableKeyPath<RescueLimits, Int> & Sendable
    /// What it is where nobody sets it.
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

  /// Of the base64 text. All error messages seen speak of 5 MiB.
  package var imageBytes = 5_242_880
  package var imageSide = 8_000
  package var imageSideAmongMany = 2_000
  package var manyImages = 20
  /// With a window of 200,000 tokens; models with a larger one take 600.
  package var images = 100
  package var documentPages = 100
  package var requestBytes = 32_000_000
  package var tokens = 200_000

  /// Those of Anthropic's service.
  init() {}

  /// Those of OpenAI's, as Codex asks it.
  static var codex: RescueLimits {
    var limits = RescueLimits()
    limits.requestBytes = 67_108_864
    return limits
  }

  /// Whether there is a limit of a name.
  package static func has(_ name: String) -> Bool { all.contains { $0.name == name } }

  /// The same with some limits that a person set, by their names.
  func setting(_ numbers: [String: Int]) -> RescueLimits {
    var limits = self
    for limit in Self.all {
      if let number = numbers[limit.name] { limits[keyPath: limit.value] = number }
    }
    return limits
  }
}
