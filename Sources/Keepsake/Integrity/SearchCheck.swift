import KeepsakeSQLite

/// Checks that indexed entries are in the search index. Entries that are not indexed yet are no fault.
struct SearchCheck {
  let db: Tables

  func run(report: inout VerifyReport) throws {
    let strays = try db.integer(
      """
      SELECT count(*) FROM document WHERE NOT EXISTS (
        SELECT 1 FROM entry WHERE id = document.entry AND change >= document.change)
      """)
    if let strays, strays > 0 {
      report.derived(
        "the search index", "\(strays) of its documents are of entries that are not there.")
    }
    // Each row of the index has its sizes in a table of FTS5's.
    let lost = try db.integer(
      """
      SELECT count(*) FROM document WHERE NOT EXISTS (
        SELECT 1 FROM search_docsize WHERE id = document.number)
      AND EXISTS (SELECT 1 FROM entry WHERE id = document.entry)
      """)
    if let lost, lost > 0 {
      report.derived(
        "the search index",
        "\(lost) entries that it should hold are not in it: they are not found.",
        action: .moveToNewStore
      )
    }
  }
}
