import Keepsake
import Testing

@testable import KeepsakeFormats

@Suite("What a format can't be asked for")
struct ExportFaultTests {
  private static let written = Format.all.filter(\.canWrite)

  @Test(arguments: written)
  func `a folder and a beginning are for the formats of agents`(format: Format) throws {
    for options in [
      Self.options { $0.folder = "/home/alice/fruit" }, Self.options { $0.start = 4 },
    ] {
      if format.givesBack {
        #expect(options.fault(for: format, isStream: true) == nil)
      } else {
        #expect(options.fault(for: format, isStream: false) == .noAgent)
        let error = #expect(throws: FormatError.self) { try options.completed(for: format) }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains("No agent keeps sessions as '\(format.name)'") == true)
      }
    }
  }

  @Test(arguments: written, ExportOptions.Artifacts.allCases)
  func `artifacts are kept in a way that the format has`(
    format: Format, artifacts: ExportOptions.Artifacts
  ) {
    let options = ExportOptions(artifacts: artifacts)
    let has = format.artifacts.contains(artifacts)
    #expect(options.fault(for: format, isStream: false) == (has ? nil : .artifacts(artifacts)))
    let stream = options.fault(for: format, isStream: true)
    if !has {
      #expect(stream == .artifacts(artifacts))
    } else {
      #expect(stream == (artifacts == .files ? .noPlaceForFiles : nil))
    }
  }

  @Test(arguments: written)
  func `a budget is for the formats that a model goes on from`(format: Format) {
    let options = ExportOptions(resumption: .init(budget: .tokens(4096)))
    #expect(
      options.fault(for: format, isStream: true) == (format.resumes ? nil : .noResumption))
  }

  private static func options(_ change: (inout ExportOptions) -> Void) -> ExportOptions {
    var options = ExportOptions()
    change(&options)
    return options
  }
}
