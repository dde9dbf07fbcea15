#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import KeepsakeSQLite

/// A session, or a fork of it, and where it was forked.
struct FamilyMember {
  let number: Int64
  let id: UUID
  let parent: Int64
  let forkPosition: Int
  let forkChange: Int?
}
