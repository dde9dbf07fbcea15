#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// Finds the sessions and artifacts that a person names.
///
/// A session is named by its id, the beginning of it, or `last`; an artifact by its digest, the beginning of it, or
/// `SESSION/LABEL`.
struct Locator {
  let store: Store

  /// The name for the newest session.
  static let last = "last"

  func session(_ name: String) async throws -> Session {
    guard name == Self.last else { return try await store.session(matching: name) }
    guard let newest = try await store.sessions(limit: 1).sessions.first else {
      throw CommandError(
        message:
          "There is no last session: the store is empty. Fill it with 'keepsake import PATH'.")
    }
    return try await store.session(newest.id)
  }

  /// Returns the attachment with a label, or the first attachment of an artifact.
  func attachment(ofArtifact name: String) async throws -> Entry.Attachment {
    let (artifact, attachment) = try await artifact(name)
    if let attachment { return attachment }
    guard let first = try await store.audit(artifact.id, limit: 1).attachments.first else {
      throw CommandError(
        message:
          "'\(name)' hangs on no entry any more. Write it to a file with 'keepsake get \(name) -o FILE'."
      )
    }
    return try await store.session(first.session).attachment(first.label)
  }

  /// Returns an artifact, and the attachment if the artifact was named by a label.
  func artifact(_ name: String) async throws -> (artifact: Artifact, attachment: Entry.Attachment?)
  {
    guard let slash = name.firstIndex(of: "/") else {
      return (try await store.artifact(matching: name), nil)
    }
    let session = try await session(String(name[..<slash]))
    let label = String(name[name.index(after: slash)...])
    let attachment = try await session.attachment(label)
    guard let artifact = attachment.artifact else {
      throw CommandError(
        message:
          "'\(label)' has no bytes: it is \(attachment.state.rawValue). 'keepsake audit \(Words.short(session.id))' says what is known of it."
      )
    }
    return (artifact, attachment)
  }
}
