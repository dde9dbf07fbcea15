#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// The facts about a handed over session as a whole.
struct HandOverHead {
  let id: String
  let title: String?
  /// The project folder that the session belongs to.
  let folder: String
  let begun: Date
}
