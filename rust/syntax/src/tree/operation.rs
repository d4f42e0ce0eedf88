//! What `${…}` may do with the value of a variable. It knows neither variables nor how they are written.

/// What an expansion does with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Nothing.
    Plain,
    /// `:-`, `-`
    Default,
    /// `:=`, `=`
    Assign,
    /// `:+`, `+`
    Alternative,
    /// `#`
    StripFront,
    /// `##`
    StripLongestFront,
    /// `%`
    StripBack,
    /// `%%`
    StripLongestBack,
    /// `/`
    ReplaceFirst,
    /// `//`
    ReplaceAll,
    /// `/#`
    ReplaceFront,
    /// `/%`
    ReplaceBack,
    /// `:offset:length`
    Slice,
    /// `^^`
    Upper,
    /// `,,`
    Lower,
    /// `!` in front: the value of the name that is its value.
    Indirect,
    /// `@P`
    Prompt,
    /// `:?`, `?`: the value, or the end.
    Required,
    /// Anything else gives an unknown value.
    Other,
}
