import Foundation
import FoundationModels
import Keepsake
import KeepsakeFoundationModels
import Testing

struct `The example of the README for Apple's framework` {
  @Test func `does what it says`() async throws {
    try await withSession { session, _, _ in
      let text = "give me an image of a banana."
      let system = SystemLanguageModel(script: [
        [.call([Fruit.call("banana")]), .say { "Here it is: \($0[0])" }]
      ])
      // snippet: foundation-models
      let keeper = Keeper(session)
      let tool = keeper.keeping(Draw(), filesFrom: [.temporaryDirectory])
      let model = LanguageModelSession(
        model: system, tools: [tool],
        transcript: try await keeper.transcript(for: system))
      let answer = try await keeper.turn(text, in: model) { try await model.respond(to: text) }
      // end snippet
      #expect(answer.content.contains("image_1"))
      #expect(try await session.attachment("image_1").tool == "Draw")
    }
  }
}
