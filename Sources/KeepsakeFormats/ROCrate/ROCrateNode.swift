import Keepsake

/// A node of a crate's graph, whose properties without a known value are absent.
struct ROCrateNode: ProvenanceMembers {
  var members: [(String, JSON)]

  var json: JSON { .object(members) }

  init(_ id: String, _ type: String) {
    members = [("@id", .string(id)), ("@type", .string(type))]
  }

  /// Adds a reference to another node.
  mutating func add(_ name: String, to id: String?) {
    if let id { members.append((name, ["@id": .string(id)])) }
  }

  /// Adds references to other nodes, without repetitions.
  mutating func add(_ name: String, to ids: [String]) {
    var known: Set<String> = []
    let others = ids.filter { known.insert($0).inserted }
    if others.isEmpty { return }
    members.append((name, .array(others.map { ["@id": .string($0)] })))
  }

  /// Adds the basis of each reference. References have no properties in a crate, so each basis stands before the
  /// node's id.
  mutating func add(_ name: String, bases: [(Entry.Attachment.Basis, id: String)]) {
    if bases.isEmpty { return }
    members.append((name, .array(bases.map { .string("\($0.0.rawValue) \($0.id)") })))
  }
}
