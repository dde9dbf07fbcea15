#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// What a trail says of one thing: those of its properties that are known.
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

  /// Adds what only a store knows.
  mutating func add(_ facts: [(name: String, value: JSON?)]) {
    for (name, value) in facts {
      if let value { members.append(("keepsake:\(name)", value)) }
    }
  }
}
