#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

extension ToolContext {
  /// Finds the session that a model names by its id, or by six digits or more of it.
  func session(_ name: String) async throws -> Session {
    let digits = name.filter { $0 != "-" }
    guard digits.count >= 6 else {
      throw ToolError(
        "'\(VisibleText.line(name, limit: 40))' is too short for a session. Give its id, or at least 6 digits of it; list_sessions has them."
      )
    }
    do { return try await store.session(matching: name) } catch let error as KeepsakeError
      where error.code == .notFound || error.code == .invalid
    {
      throw ToolError(
        "No session begins with '\(VisibleText.line(name, limit: 40))'. Use list_sessions to find its id."
      )
    }
  }

  /// Finds the artifact that a model names: by its digest, by eight digits or more of it, or by its label in a session.
  func artifact(
    _ name: String, in session: String?
  ) async throws -> (artifact: Artifact, attachment: Entry.Attachment?) {
    if let session {
      let found = try await self.session(session)
      do {
        let attachment = try await found.attachment(name)
        guard let artifact = attachment.artifact else {
          throw ToolError(
            "'\(VisibleText.line(name))' has no bytes: it is \(attachment.state.rawValue). audit_artifact takes only what has bytes."
          )
        }
        return (artifact, attachment)
      } catch let error as KeepsakeError where error.code == .notFound {
        // A digest may be given together with a session that it was seen in.
        guard Self.isDigest(name) else {
          throw ToolError(
            "The session has no attachment labelled '\(VisibleText.line(name))'. read_session shows the labels."
          )
        }
      }
    }
    guard Self.isDigest(name) else {
      throw ToolError(
        "'\(VisibleText.line(name))' names no artifact. Give its digest, at least 8 digits of it, or a label together with its session."
      )
    }
    return (try await store.artifact(matching: name), nil)
  }

  private static func isDigest(_ name: String) -> Bool {
    let digits = name.hasPrefix("sha256:") ? name.dropFirst("sha256:".count) : name[...]
    return (8...64).contains(digits.utf8.count) && digits.allSatisfy { $0.isASCII && $0.isHexDigit }
  }
}

extension Date {
  /// The time as RFC 3339 has it.
  var text: String { RFC3339.text(microseconds) }
}
