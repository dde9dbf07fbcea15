#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// The members of a description, to which values that are not known are never added.
protocol ProvenanceMembers {
  var members: [(String, JSON)] { get set }
}

extension ProvenanceMembers {
  mutating func add(_ name: String, _ text: String?) {
    if let text { members.append((name, .string(text))) }
  }

  mutating func add(_ name: String, _ number: Int?) {
    if let number { members.append((name, .number(Int64(number)))) }
  }

  mutating func add(_ name: String, _ time: Date?) {
    if let time { members.append((name, .string(RFC3339.text(time.microseconds)))) }
  }

  /// Adds facts that only a store knows, under names with the prefix `keepsake:`.
  mutating func add(_ facts: [(name: String, value: JSON?)]) {
    for (name, value) in facts {
      if let value { members.append(("keepsake:\(name)", value)) }
    }
  }
}
