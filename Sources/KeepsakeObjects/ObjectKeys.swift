#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif
package import Keepsake
import KeepsakeFiles

/// The keys of a hub's objects, which are laid out as the files of a hub in a folder are.
package struct ObjectKeys: Sendable, Hashable {
  /// What all keys begin with: nothing, or a text that ends with a slash.
  package let prefix: String

  package init(_ address: ObjectAddress) { prefix = address.prefix }

  /// The object that says that a hub is here.
  package var hub: String { prefix + HubFile.name }
  /// What the keys of all versions begin with.
  package var sessions: String { prefix + "session/" }
  /// What the keys of all artifacts begin with.
  package var artifacts: String { prefix + "artifact/" }
  /// What the keys of all entries of the feed begin with.
  package var feed: String { prefix + "feed/" }
  /// The beginning of the keys of all notes.
  package var notes: String { prefix + "note/" }
  /// What the keys of objects begin with that only prove the conditions.
  package var proofs: String { prefix + "proof/" }

  /// What the keys of a session's versions begin with.
  package func session(_ session: UUID) -> String { "\(sessions)\(session)/" }
  /// The key of a version.
  package func version(_ version: Int64, of session: UUID) -> String {
    self.session(session) + VersionFile.name(version)
  }
  /// The key of an artifact.
  package func artifact(_ artifact: Artifact.ID) -> String {
    let hex = artifact.digest.hex
    return "\(artifacts)\(hex.prefix(2))/\(hex)"
  }
  /// The beginning of the keys of all artifacts that are about to be removed.
  package var going: String { prefix + "going/" }
  /// The beginning of the keys of an artifact that is about to be removed.
  package func going(_ artifact: Artifact.ID) -> String { going + artifact.digest.hex }
  /// The key of an artifact that a removal is about to remove.
  package func going(_ artifact: Artifact.ID, by removal: UUID) -> String {
    "\(going(artifact))/\(removal)"
  }
  /// What the keys of a peer's entries in the feed begin with.
  package func feed(_ peer: String) -> String { "\(feed)\(peer)/" }
  /// The key of an entry in the feed.
  package func entry(_ number: Int64, of peer: String) -> String {
    feed(peer) + VersionFile.padded(number)
  }

  /// Reads from a key the session and the version; nil for a key that the hub does not make.
  package func version(_ key: String) -> (session: UUID, version: Int64)? {
    guard key.hasPrefix(sessions) else { return nil }
    let parts = key.dropFirst(sessions.count).split(
      separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let session = UUID(text: String(parts[0])),
      "\(session)" == parts[0], let version = VersionFile.version(named: String(parts[1]))
    else { return nil }
    return (session, version)
  }
}
