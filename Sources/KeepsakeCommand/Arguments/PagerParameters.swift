/// The options of commands whose output is shown a page at a time.
struct PagerParameters: ParameterSet {
  let noPager = Flag("--no-pager", help: "Print everything at once, without $PAGER.")
}
