#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
import KeepsakeFiles

extension FolderHub {
  package func rewrite(
    _ version: Int64, of session: UUID, stamp: UUID, as bytes: [UInt8]
  ) async throws -> Bool {
    try await run(inTurn: session) { [self] in
      try rewriteNow(version, of: session, stamp: stamp, as: bytes)
    }
  }

  private func rewriteNow(
    _ version: Int64, of session: UUID, stamp: UUID, as bytes: [UInt8]
  ) throws -> Bool {
    guard let folder = try folder(of: session), try folder.exists(VersionFile.name(version)) else {
      return false
    }
    let there = try head(version, of: session, in: folder)
    guard there.stamp == stamp else { return false }
    let offer = HubOffer(session: session, base: there.base, stamp: stamp, bytes: bytes)
    let line = VersionFile(offer, version: version, hub: identity.id)
    // Whoever wrote the same bytes before may have ended before the name was durable.
    if line == there {
      try folder.sync()
      return true
    }
    // The new file takes the name in one step, so that readers find the old bytes or the new ones.
    let file = try NewFile(VersionFile.name(version), in: folder, replacing: true, mode: 0o444)
    try watch(.rewritingBegun)
    try file.write(line.line)
    try file.write(bytes)
    try watch(.rewritingWritten)
    try file.finish()
    try watch(.rewritingPlaced)
    return true
  }
}
