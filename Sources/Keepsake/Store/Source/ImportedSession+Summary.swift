extension ImportReport.ImportedSession {
  /// Makes the report on a session as it is after an import; without more, after an import that added nothing to it.
  init(
    _ summary: Session.Summary, format: String, new: Bool = false, added: Int = 0,
    revised: Int = 0, parting: ImportReport.Parting? = nil
  ) {
    self.init(
      id: summary.id, title: summary.title, entries: summary.entries,
      attachments: summary.attachments, format: format, new: new, added: added,
      revised: revised, parting: parting)
  }
}
