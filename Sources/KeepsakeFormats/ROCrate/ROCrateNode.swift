#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// One thing of a crate's graph, with those of its properties that are known.
struct ROCrateNode {
  private var members: [(String, JSON)]

  var json: JSON { .object(members) }

  init(_ id: String, _ type: String) {
    members = [("@id", .string(id)), ("@type", .string(type))]
  }

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

  /// Names another thing.
  mutating func add(_ name: String, to id: String?) {
    if let id { members.append((name, ["@id": .string(id)])) }
  }

  /// Names other things, each once.
  mutating func add(_ name: String, to ids: [String]) {
    var known: Set<String> = []
    let others = ids.filter { known.insert($0).inserted }
    if others.isEmpty { return }
    members.append((name, .array(others.map { ["@id": .string($0)] })))
  }

  /// Says how sure links are: a crate has no properties of links, so each is named with its basis.
  mutating func add(_ name: String, bases: [(Entry.Attachment.Basis, id: String)]) {
    if bases.isEmpty { return }
    members.append((name, .array(bases.map { .string("\($0.0.rawValue) \($0.id)") })))
  }
}
