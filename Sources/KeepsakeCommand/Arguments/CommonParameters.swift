/// The options that every command takes.
struct CommonParameters: ParameterSet {
  let store = Option(
    "--store", value: "PATH", as: .text,
    help: "The store; without it, $KEEPSAKE_STORE or the store in your data folder.")
  let readOnly = Flag("--read-only", help: "Change no byte of the store.")
  let help = Flag("--help", short: "-h", help: "Show this help.")
}

extension Declaration {
  /// The options that every command takes.
  static let common = ParameterList(CommonParameters()).options
  /// The options of commands whose output is shown a page at a time.
  static let pager = ParameterList(PagerParameters()).options
}
