import KeepsakeSQLite

/// Turns errors of SQLite, its writer and its readers into errors about a store.
extension KeepsakeError {
  /// Returns the error about a store for an error of its database; nil for any other error.
  static func database(_ error: any Error, store path: String) -> (any Error)? {
    switch error {
    case is ReaderPoolError: closed(path)
    case let error as SQLiteError: sqlite(error, store: path)
    case let error as WriterError: writer(error, store: path)
    case let error as MigrationError: migration(error, store: path)
    default: nil
    }
  }

  /// Tells whether the user's share of the disk is used up, and not the disk.
  var isQuota: Bool { (cause as? SQLiteError)?.isQuota == true }

  private static func sqlite(_ error: SQLiteError, store path: String) -> KeepsakeError {
    let (code, message) =
      shortage(error, path) ?? damage(error, path) ?? refusal(error, path) ?? turn(error, path)
      ?? (.inputOutput, "The store at '\(path)': \(error)")
    return KeepsakeError(
      code, message, remedy: code == .damaged ? .verifyAndRestore : nil, object: path,
      cause: error)
  }

  private typealias Account = (code: Code, message: String)

  /// Gives an account of an error of a system that has run out of something.
  private static func shortage(_ error: SQLiteError, _ path: String) -> Account? {
    if error.isFull {
      let what = error.isQuota ? "the disk quota is used up" : "the disk is full"
      return (
        .diskFull,
        "Can't write to the store at '\(path)': \(what). Free some space and try again; what was acknowledged is kept."
      )
    }
    guard error.isOutOfDescriptors else { return nil }
    return (
      .inputOutput,
      "Can't open the database of the store at '\(path)': too many files are open. Close some, or raise the limit (ulimit -n), and try again."
    )
  }

  /// Gives an account of an error in the database's own bytes.
  private static func damage(_ error: SQLiteError, _ path: String) -> Account? {
    if error.isCorrupt {
      (.damaged, "The store at '\(path)' is damaged: \(error.message.clause).")
    } else if error.isNotADatabase {
      (
        .notAStore,
        "'\(path)' is not a store: its database is something else. Nothing was changed."
      )
    } else if error.isOverflow {
      (.damaged, "The store at '\(path)' is damaged: it holds numbers that can't be added up.")
    } else {
      nil
    }
  }

  /// Gives an account of an error of a user or a medium that allows less than was tried.
  private static func refusal(_ error: SQLiteError, _ path: String) -> Account? {
    if error.isIndexUnfinished {
      return (
        .readOnly,
        "Can't read the store at '\(path)': a program was ended while it wrote the index of the store's log, and this user may not repair that. Open the store once for writing."
      )
    }
    if error.isReadOnly {
      return (
        .readOnly,
        "Can't write to the store at '\(path)': it is on read-only media, or this user may only read it."
      )
    }
    guard error.isCantOpen else { return nil }
    let what =
      "Can't open the database of the store at '\(path)': \(error.message.clause)."
    return error.isRefused
      ? (.permissionDenied, "\(what) Check that this user may read and write the folder.")
      : (.inputOutput, "\(what) Try again; if it stays so, check the disk.")
  }

  /// Gives an account of an error that another program's work on the store led to.
  private static func turn(_ error: SQLiteError, _ path: String) -> Account? {
    if error.isOvertaken {
      (
        .locked,
        "The store at '\(path)' was opened for writing while it was read. Read it again."
      )
    } else if error.isBusy {
      (
        .locked,
        "The store at '\(path)' is held by a program that does not take turns. Close programs that write to its database themselves, and try again."
      )
    } else {
      nil
    }
  }

  private static func writer(_ error: WriterError, store path: String) -> KeepsakeError {
    switch error {
    case .closed: closed(path)
    case .lockTimeout(let holder):
      KeepsakeError(
        .locked,
        """
        Gave up waiting for the store at '\(path)': \
        \(holder.map { "process \($0)" } ?? "another process") has held its lock for too long. \
        Nothing was written; try again, or end that process.
        """, object: path)
    case .transactionLost:
      KeepsakeError(.inputOutput, "The store at '\(path)': \(error)", object: path)
    case .storeReplaced: replaced(path)
    case .logReplaced:
      KeepsakeError(
        .replaced,
        """
        The log of the store at '\(path)' was deleted or replaced while the store was open, and what was written last may \
        have gone with it. Nothing was written now. Close the store, put its '\(StoreLayout.log)' back if you have it, and open it \
        again.
        """, object: path)
    }
  }

  private static func migration(_ error: MigrationError, store path: String) -> any Error {
    switch error {
    case .notAStore: notAStore(path)
    case .newer(let found, let known, _):
      KeepsakeError(
        .newerStore,
        "Can't open the store at '\(path)': it was written by a newer version (schema \(found); this build knows \(known)).",
        remedy: .upgrade, object: path)
    case .damaged(let reason, _):
      KeepsakeError(
        .damaged, "The store at '\(path)' is damaged: \(reason.clause).",
        remedy: .verifyAndRestore, object: path, cause: error)
    case .failed(_, let reason): wrap(reason, store: path)
    case .changed, .brokenReferences:
      KeepsakeError(.damaged, "\(error)", object: path, cause: error)
    }
  }
}
