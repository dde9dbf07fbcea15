/// The presence of a session, and for whom: the column `state` of its row. The numbers are stored.
///
/// A statement of SQL has a state in one of two ways. One that is written as a single literal is found by its address,
/// which is faster: it has a parameter, and a case is bound to that. Before the column stands a plus sign, `+state = ?`:
/// without it SQLite compares the bound number with the condition of `session_by_update`, and prepares the statement
/// anew each time that something is bound.
///
/// A statement that is composed at run time takes a condition from here, behind an alias of `session` where it needs one:
/// `s.\(SessionPresence.isShown)`. A list of sessions has to be composed: SQLite uses `session_by_update`, an index of
/// the sessions with `state = 0`, only for a text that has the number in it.
enum SessionPresence: Int {
  /// It is listed and opened.
  case shown = 0
  /// The import that makes it is not at its end: it is not listed, and its import alone opens it.
  case importing = 1
  /// It was deleted, or its import was given up. Its forks still show some of its entries, or not all of its rows are
  /// gone yet.
  case purged = 2
  /// It is being restored, and its rows come in any order.
  case restoring = 3
}

extension SessionPresence: Comparable {
  static func < (a: SessionPresence, b: SessionPresence) -> Bool { a.rawValue < b.rawValue }
}
