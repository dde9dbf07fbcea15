package import Foundation
package import Keepsake

extension Hub {
  /// Holds a session, and reads nothing of it.
  package func hold(_ session: UUID) async {
    _ = await hold(session, readingAfter: nil, bytes: 0)
  }
}
