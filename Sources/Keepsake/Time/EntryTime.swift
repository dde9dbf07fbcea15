#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The time of an entry as the database holds it. An unknown time is a number too, which comes before all others.
package enum EntryTime {
  package static let unknown = Int64.min

  package static func stored(_ time: Date?) -> Int64 { time?.microseconds ?? unknown }

  package static func date(_ stored: Int64) -> Date? {
    stored == unknown ? nil : Date(microseconds: stored)
  }
}
