extension Store {
  /// Whether the store that was opened is still at its path.
  ///
  /// A program that stays open for days asks this before it answers, so that it does not tell of a store that was moved away, deleted,
  /// or replaced by a copy. The answer costs the opening of a folder.
  package var isInPlace: Bool { !handle.layout.isReplaced }
}
