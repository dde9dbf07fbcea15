#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import Keepsake

extension ObjectHub {
  /// How often an object is written anew that others write at the same time.
  private static let attempts = 8

  package func rewrite(
    _ version: Int64, of session: UUID, stamp: UUID, as bytes: [UInt8]
  ) async throws -> Bool {
    try await run {
      do {
        for _ in 0..<Self.attempts {
          if let isDone = try await rewriteOnce(version, of: session, stamp: stamp, as: bytes) {
            return isDone
          }
        }
        throw KeepsakeError.objects(
          address, senseless: "an object that was just read is never the one that is there")
      } catch { throw error is CancellationError ? error : told(error) }
    }
  }

  /// Writes the object if it is still the one that was read; nil where it is not.
  private func rewriteOnce(
    _ version: Int64, of session: UUID, stamp: UUID, as bytes: [UInt8]
  ) async throws -> Bool? {
    let key = keys.version(version, of: session)
    guard try await store.head(key) != nil else { return false }
    let (there, etag) = try await line(version, of: session)
    guard there.stamp == stamp else { return false }
    let offer = HubOffer(session: session, base: there.base, stamp: stamp, bytes: bytes)
    let line = VersionFile(offer, version: version, hub: identity.id)
    if line == there { return true }
    guard let etag else {
      throw KeepsakeError.objects(address, senseless: "it gives no tag for an object")
    }
    switch try await store.put(key, line.line + bytes, if: .matches(etag)) {
    case .written: return true
    case .refused: return nil
    }
  }
}
