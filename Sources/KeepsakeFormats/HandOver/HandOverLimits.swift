import Keepsake

/// The limits of an agent's service on images.
struct HandOverLimits: Sendable {
  var types: Set<String> = SentMedia.images
  /// The largest size of an image's base64, in bytes.
  var bytes = 5_242_880
  /// The longest side of an image, in pixels.
  var side = 8_000
  /// The longest side of an image in a conversation with more than `many` images, in pixels.
  var sideAmongMany = 2_000
  var many = 20
  var count = 100
}
