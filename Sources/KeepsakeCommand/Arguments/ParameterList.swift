/// The parameters of a set in order, including those of its groups.
struct ParameterList {
  private(set) var parameters: [any Parameter] = []

  init(_ set: any ParameterSet) {
    for child in Mirror(reflecting: set).children {
      switch child.value {
      case let parameter as any Parameter: parameters.append(parameter)
      case let group as any ParameterSet: parameters += ParameterList(group).parameters
      default:
        preconditionFailure("'\(child.label ?? "")' of \(type(of: set)) is no parameter.")
      }
    }
  }

  var options: [Declaration.Option] {
    parameters.compactMap { if case .option(let option) = $0.shown { option } else { nil } }
  }

  var operands: [Declaration.Operand] {
    parameters.compactMap { if case .operand(let operand) = $0.shown { operand } else { nil } }
  }
}
