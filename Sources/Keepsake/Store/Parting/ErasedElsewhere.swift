import KeepsakeFiles

/// What was erased of a session at the hub since its past and ours part.
struct ErasedElsewhere: Sendable {
  /// A row that lost its content.
  enum Row: Sendable, Hashable {
    case entry(position: Int)
    /// An attachment or a run, by the change that recorded it.
    case recorded(by: Int)

    /// The row that a link of the session's chain is about.
    init(_ link: ChainLink) {
      self = link.isOfEntry ? .entry(position: link.position) : .recorded(by: link.position)
    }
  }

  /// The rows that both pasts have, in the order in which they were erased.
  let rows: [Row]
  /// The columns that a run does not have at the hub, by the change that recorded the run.
  let lostColumns: [Int: [String]]
  /// Tells whether the whole session was deleted.
  let isEverything: Bool

  /// Collects what commits of a hub erase, in changes that this store does not have.
  ///
  /// - Parameters:
  ///   - commits: The commits.
  ///   - past: The past that the commits tell.
  ///   - common: The number of changes that both pasts have.
  ///   - isDeletedHere: Whether this store has deleted the session, too. The hub's deletion then erases nothing, because only the rows are left
  ///     that forks in this store need.
  init(
    by commits: [SessionCommit], in past: SessionPast, after common: Int,
    besidesDeletion isDeletedHere: Bool = false
  ) {
    isEverything = past.isDeleted && !isDeletedHere
    rows = past.erasures(after: common)
    var lost: [Int: [String]] = [:]
    for record in commits.flatMap(\.records) where record.kind == .invocation {
      guard let recorded = record.int("chain.recorded") else { continue }
      lost[recorded] = Self.columnsOfRuns.filter { record[$0] == .null }
    }
    lostColumns = lost
  }

  /// The columns that erasing takes from a run.
  static let columnsOfRuns = argumentsOfRuns + outputsOfRuns
  /// The columns of a run that repeat what its call says.
  static let argumentsOfRuns = ["arguments", "parameters"]
  /// The columns of a run that repeat what its output says.
  static let outputsOfRuns = ["output", "detail"]
}

extension CommitRows {
  /// Returns the rows of a deleted session that still have what a later change erased, so that they have to be erased again.
  func erasedLater(of session: Int64) throws -> [ErasedElsewhere.Row] {
    try entriesErasedLater(of: session).map { .entry(position: $0) }
      + attachmentsErasedLater(of: session).map { .recorded(by: $0) }
  }
}
