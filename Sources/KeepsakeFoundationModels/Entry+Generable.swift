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
    /// A stored structured answer, as the type that it was generated as.
    ///
    /// ```swift
    /// let itinerary = try entry.content(as: Itinerary.self)
    /// ```
    /// A type that starts something in `init(_:)`, such as drawing an image, starts it again each time.
    /// - Throws: `notFound`, where the entry holds no structure; what the type's own `init` throws, where it holds another.
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
