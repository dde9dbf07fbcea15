/// The options of a list that is read page by page.
struct PageParameters<Cursor: LosslessStringConvertible & Sendable>: ParameterSet {
  let limit: Option<Int>
  let after = Option(
    "--after", value: "CURSOR", as: Reading<Cursor>.cursor,
    help: "Continue after a page, with the cursor that it printed at its end.")
  let json = Flag.json
  let jsonl = Flag(
    "--jsonl",
    help: #"Print a line of JSON for each; if there is more, {"next": CURSOR} follows."#)

  /// Creates the options.
  ///
  /// - Parameters:
  ///   - things: The name of the listed things, for help.
  ///   - limit: The number of things in a page if `--limit` is not given.
  init(of things: String, limit: Int) {
    self.limit = Option(
      "--limit", value: "N", as: .number(), else: limit,
      help: "The greatest number of \(things); \(limit) without this.")
  }
}
