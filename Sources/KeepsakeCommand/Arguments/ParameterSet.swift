/// A set of parameters that belong together: a command, or a group that several commands take.
///
/// Each stored property is a parameter or a group, in the order in which help lists them.
protocol ParameterSet: Sendable {}
