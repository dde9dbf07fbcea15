import KeepsakeSQLite

/// A kind of rows that belong to one session itself, and that there can be many of. No fork shows them.
enum OwnRows {
  case draftPieces, drafts, turns
  /// The links of rows that are gone. While the session has forks, they need these links.
  case links

  /// The statement that finds the rows of a session, with the size of each.
  var find: StaticString {
    switch self {
    case .draftPieces:
      "SELECT p.rowid, length(p.text) FROM draft AS d JOIN draft_piece AS p ON p.draft = d.number WHERE d.session = ?"
    case .drafts: "SELECT number, length(template) FROM draft WHERE session = ?"
    case .turns: "SELECT number, 0 FROM turn WHERE session = ?"
    case .links: "SELECT number, 0 FROM change WHERE session = ?"
    }
  }

  /// The statement that removes one of the rows.
  var delete: StaticString {
    switch self {
    case .draftPieces: "DELETE FROM draft_piece WHERE rowid = ?2 AND ?1"
    case .drafts: "DELETE FROM draft WHERE number = ?2 AND ?1"
    case .turns: "DELETE FROM turn WHERE session = ?1 AND number = ?2"
    case .links: "DELETE FROM change WHERE session = ?1 AND number = ?2"
    }
  }
}
