#if canImport(FoundationModels)
  #if canImport(FoundationEssentials)
    import FoundationEssentials
  #else
    import Foundation
  #endif
  public import FoundationModels
  public import Keepsake

  @available(macOS 26, iOS 26, visionOS 26, watchOS 27, *)
  @available(tvOS, unavailable)
  extension Entry {
    /// Returns a stored structured answer as a value of the type that it was generated as.
    ///
    /// ```swift
    /// let itinerary = try entry.content(as: Itinerary.self)
    /// ```
    /// A type whose `init(_:)` starts something, such as drawing an image, starts it again with each call.
    /// - Parameter type: The type of the value.
    /// - Returns: The value.
    /// - Throws: `notFound`, where the entry holds no structure, and what the type's own `init` throws, where the
    ///   structure does not fit the type.
    public func content<Content: ConvertibleFromGeneratedContent>(
      as type: Content.Type = Content.self
    ) throws -> Content {
      for case .structure(let json, _) in segments.lazy.map(\.content) {
        return try Content(GeneratedContent(json: json.text))
      }
      throw KeepsakeError(
        .notFound,
        "Can't read an entry as \(Content.self): the \(kind.rawValue) holds no structure. Read its text.",
        object: id.uuidString)
    }
  }
#endif
