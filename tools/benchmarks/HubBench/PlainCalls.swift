import KeepsakePostgres

/// Calls of one statement, encoded as plain C sends them.
struct PlainCalls: Sendable {
  let name: String
  let sql: String
  let calls: Int32
  /// The values of each call.
  let values: Int32
  let bytes: [UInt8]
  /// The size of each value; -1 for `NULL`.
  let sizes: [Int32]

  init(_ requests: [PostgresRequest]) {
    precondition(Set(requests.map(\.name)).count == 1, "The calls are of one statement.")
    name = requests[0].name
    sql = requests[0].sql
    calls = Int32(requests.count)
    let all = requests.map(\.encodedValues)
    values = Int32(all[0].count)
    bytes = all.flatMap { $0.flatMap { $0 ?? [] } }
    sizes = all.flatMap { $0.map { Int32($0?.count ?? -1) } }
  }
}
