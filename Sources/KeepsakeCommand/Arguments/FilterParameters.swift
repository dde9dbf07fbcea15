#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// The options for conditions on sessions, all of which must hold.
struct FilterParameters: ParameterSet {
  let since = Option(
    "--since", value: "TIME", as: .time, help: "With an entry of that time or later: 7d.")
  let until = Option(
    "--until", value: "TIME", as: .time, help: "Whose newest entry is from before that time.")
  let tool = Option("--tool", value: "NAME", as: .text, help: "That call this tool.")
  let model = Option("--model", value: "NAME", as: .text, help: "That this model answered last.")
  let origin = Option(
    "--origin", value: "NAME", as: .text, help: "That came from there: a format's name.")
  let tag = Option("--tag", value: "TAG", as: .text, help: "With this tag.")
  let has = Option(
    "--has", value: "KIND", as: .text,
    help: "With an artifact of this kind: image, audio, video, or a media type.")
}

extension Arguments<FilterParameters> {
  /// Returns the filter for the given conditions.
  func filter(at now: Date) -> Session.Filter {
    Session.Filter(
      since: self.since?.date(at: now), until: self.until?.date(at: now), model: self.model,
      tool: self.tool, tag: self.tag, origin: self.origin, has: self.has)
  }
}
