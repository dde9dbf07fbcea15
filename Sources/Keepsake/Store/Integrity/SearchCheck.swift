/// Checks that indexed entries are in the search index. Entries that are not indexed yet are no fault.
struct SearchCheck {
  let db: Tables

  func run(report: inout VerifyReport) throws {
    let strays = try db.checks.strayDocuments()
    if strays > 0 {
      report.derived(
        "the search index", "\(strays) of its documents are of entries that are not there.")
    }
    let lost = try db.checks.lostDocuments()
    if lost > 0 {
      report.derived(
        "the search index",
        "\(lost) entries that it should hold are not in it: they are not found.",
        action: .moveToNewStore
      )
    }
  }
}
