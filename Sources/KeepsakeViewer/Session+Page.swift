#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import Keepsake
import KeepsakeFiles

extension Session {
  /// Writes the session as one self-contained HTML page, piece by piece.
  ///
  /// The page is readable on a phone, in dark mode, on paper and without a network. It holds the bytes of images,
  /// sound and video, once each, and loads nothing. Everything that people, models and tools said is untrusted: no
  /// text becomes markup, no artifact becomes active, and a policy in the page forbids what a mistake in this code
  /// might let through. The one script that may run is the page's own, which ``PageOptions/hasScript`` leaves out.
  ///
  /// In memory are one entry, a piece of an artifact, the names of all attachments, and the beginnings of up to 2,000
  /// prompts. The session is read twice;
  /// entries that are added in between are left out.
  /// - Parameters:
  ///   - options: How the page is written.
  ///   - take: Takes the next piece of the page; what it throws ends the writing.
  /// - Throws: `KeepsakeError`, when the session can't be read.
  @concurrent
  public func page(
    _ options: PageOptions = .init(), into take: @escaping @Sendable ([UInt8]) throws -> Void
  ) async throws {
    var page = try await SessionPage(of: self, options, output: PageOutput(take: take))
    try await page.write()
  }

  /// Returns the session as one HTML page in memory, for a web view, or to be written in another way.
  ///
  /// It takes a third more memory than the images, sound and video in the page. See ``page(_:into:)`` for a
  /// description of the page, and for pages that do not fit into memory.
  /// - Parameter options: How the page is written.
  /// - Returns: The page as UTF-8.
  /// - Throws: `KeepsakeError`, when the session can't be read.
  @concurrent
  public func pageData(_ options: PageOptions = .init()) async throws -> Data {
    let page = Locked(Data())
    try await self.page(options) { piece in page.withLock { $0.append(contentsOf: piece) } }
    return page.withLock { $0 }
  }

  /// Returns the session as one HTML page in a string, as a web view's `loadHTMLString` takes it.
  /// - Parameter options: How the page is written.
  /// - Returns: The page.
  /// - Throws: `KeepsakeError`, when the session can't be read.
  @concurrent
  public func pageText(_ options: PageOptions = .init()) async throws -> String {
    String(decoding: try await pageData(options), as: UTF8.self)
  }
}
