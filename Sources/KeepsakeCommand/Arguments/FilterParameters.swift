#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import Keepsake

/// The options for conditions on sessions, all of which must hold.
struct FilterParameters: ParameterSet {
  let since = Option(
    "--since", value: "TIME", as: .time,
    help: "Only sessions with an entry of this time or later, such as 7d.")
  let until = Option(
    "--until", value: "TIME", as: .time,
    help: "Only sessions whose newest entry is before this time.")
  let tool = Option("--tool", value: "NAME", as: .text, help: "Only sessions that call this tool.")
  let model = Option(
    "--model", value: "NAME", as: .text, help: "Only sessions that this model answered last.")
  let origin = Option(
    "--origin", value: "NAME", as: .text,
    help: "Only sessions of this origin, such as a format's name.")
  let tag = Option("--tag", value: "TAG", as: .text, help: "Only sessions with this tag.")
  let has = Option(
    "--has", value: "KIND", as: .text,
    help: "Only sessions with this kind of artifact: image, audio, video, or a media type.")
}

extension Arguments<FilterParameters> {
  /// Returns the filter for the given conditions.
  func filter(at now: Date) -> Session.Filter {
    Session.Filter(
      since: self.since?.date(at: now), until: self.until?.date(at: now), model: self.model,
      tool: self.tool, tag: self.tag, origin: self.origin, has: self.has)
  }
}
