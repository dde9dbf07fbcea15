#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake
import KeepsakeHTTP

extension HTTPResponse {
  /// Returns the answer with a session that was made, and its address.
  static func session(
    _ session: Session, _ status: HTTPStatus, to head: HTTPRequestHead
  ) async throws -> HTTPResponse {
    let summary = try await session.summary()
    var answer = HTTPResponse.json(status, to: head) { $0.write(summary) }
    answer.fields["Location"] = "/api/1/sessions/\(session.id.text)"
    return answer
  }
}
