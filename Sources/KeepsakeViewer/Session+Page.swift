#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import Keepsake
import KeepsakeFiles

extension Session {
  /// Writes the session as one HTML page that needs nothing beside itself, piece by piece.
  ///
  /// Readable on a phone, in the dark, on paper and without a network: it holds the bytes of images, sound and films, each
  /// once, and asks nobody for anything. All that people, models and tools said is untrusted: no text becomes markup, no
  /// artifact becomes active, there is no script, and a policy in the page forbids what a mistake of ours might let through.
  ///
  /// An entry and a piece of an artifact are held in memory, and of the session what its attachments are called. The
  /// session is read twice; what is added in between is left out.
  /// - Parameters:
  ///   - options: How it becomes a page.
  ///   - take: Takes the next piece of the page.
  @concurrent
  public func page(
    _ options: PageOptions = .init(), into take: @escaping @Sendable ([UInt8]) throws -> Void
  ) async throws {
    var page = try await SessionPage(of: self, options, output: PageOutput(take: take))
    try await page.write()
  }

  /// The session as one HTML page, all of it in memory: for a web view, or to be written by other means.
  ///
  /// It takes as much as the images, sound and films in it, and a third more. See ``page(_:into:)`` for what the page is,
  /// and for pages that are larger than what there is room for.
  @concurrent
  public func pageData(_ options: PageOptions = .init()) async throws -> Data {
    let page = Locked(Data())
    try await self.page(options) { piece in page.withLock { $0.append(contentsOf: piece) } }
    return page.withLock { $0 }
  }

  /// The session as one HTML page, as a text: what a web view's `loadHTMLString` takes.
  @concurrent
  public func pageText(_ options: PageOptions = .init()) async throws -> String {
    String(decoding: try await pageData(options), as: UTF8.self)
  }
}
