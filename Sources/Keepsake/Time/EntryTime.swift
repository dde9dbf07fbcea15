#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Converts the time of an entry to the database's form, in which an unknown time is a number before all others.
package enum EntryTime {
  package static let unknown = Int64.min

  package static func stored(_ time: Date?) -> Int64 { time?.microseconds ?? unknown }

  package static func date(_ stored: Int64) -> Date? {
    stored == unknown ? nil : Date(microseconds: stored)
  }
}
