/// The values in a restored session's row that are derived from the session's other rows.
struct RestoredFacts {
  let session: Int64
  let entries: Int
  let turns: Int
  let attachments: Int
  let labels: Int
  let bytes: Int64
  let model: String?
  let preview: String?
  let cover: Int64?
  let hasOverlappingTurns: Bool
}
