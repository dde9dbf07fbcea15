import Foundation

@testable import Keepsake

/// The lies that somebody can tell about a commit: each leaves out a record, or changes one value of one record.
struct CommitLies {
  struct Lie {
    let what: String
    let commit: SessionCommit
  }

  let all: [Lie]

  init(_ commit: SessionCommit) {
    var lies: [Lie] = []
    func add(_ what: String, _ change: (inout [CopyRecord]) -> Void) {
      var records = commit.records
      change(&records)
      lies.append(
        Lie(
          what: what,
          commit: SessionCommit(
            session: commit.session, base: commit.base, end: commit.end, records: records,
            gone: commit.gone, erased: commit.erased)))
    }
    for (index, record) in commit.records.enumerated() where Self.isCovered(record.kind) {
      add("without \(record)") { $0.remove(at: index) }
      for (place, column) in record.kind.table.columns.enumerated()
      where Self.isCovered(column, of: record) {
        add("\(column.name) of \(record)") {
          $0[index].values[place] = Self.other(record.values[place])
        }
      }
    }
    all = lies
  }

  /// Tells whether the chain says what the rows of a kind are.
  private static func isCovered(_ kind: CopyRecord.Kind) -> Bool {
    [.entry, .attachment, .invocation, .revision, .source, .change].contains(kind)
  }

  private static func isCovered(_ column: CopyColumn, of record: CopyRecord) -> Bool {
    switch (record.kind, column.name) {
    // The place in the order of recording is the store's own affair.
    case (.attachment, "recording"): false
    // Only an erased entry has them, without a body that says them.
    case (.entry, "toolCalls"): false
    // The revision says it. It is in the record because the digest has it, but for an erased entry's.
    case (.entry, "revised"): record["body"] != .null
    // The file that one begins with, and when it was stored, is told beside the chain.
    case (.source, "stored"), (.source, "base.import"), (.source, "base.pieces"): false
    // Nothing is left of an erased revision that its digest could be compared with.
    case (.revision, _): record["body"] != .null
    default: true
    }
  }

  private static func other(_ value: CopyRecord.Value) -> CopyRecord.Value {
    switch value {
    case .null: .integer(1)
    case .integer(let number): .integer(number + 1)
    case .text(let bytes): .text(bytes + [0x20])
    case .blob(let bytes): .blob([bytes.first.map { $0 ^ 1 } ?? 1] + bytes.dropFirst())
    }
  }
}
