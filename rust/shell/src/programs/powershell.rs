//! The cmdlets that are known, and their aliases.

/// A cmdlet by its full name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cmdlet {
    AddContent,
    AddType,
    ClearContent,
    /// One that loses what is on a disk.
    ClearDisk,
    CopyItem,
    /// One that hands on what flows in, or some of it.
    Filter,
    ForEachObject,
    GetChildItem,
    GetCommand,
    GetContent,
    /// One that prints the items that it is given.
    GetItem,
    GetLocation,
    InvokeCommand,
    InvokeExpression,
    InvokePester,
    /// One that prints what it gets from an address.
    InvokeWebRequest,
    JoinPath,
    MoveItem,
    NewItem,
    NewObject,
    OutFile,
    OutNull,
    PopLocation,
    PushLocation,
    RemoveAlias,
    RemoveItem,
    RenameItem,
    SelectString,
    SetAlias,
    SetContent,
    SetLocation,
    SetVariable,
    StartBitsTransfer,
    /// One that runs a block, here or beside.
    StartJob,
    StartProcess,
    TeeObject,
    WhereObject,
    /// One that prints to the terminal only.
    WriteHost,
    WriteOutput,
}

impl Cmdlet {
    /// Whether it prints or runs its operands, whatever these are.
    pub(crate) fn takes_words(self) -> bool {
        matches!(
            self,
            Self::WriteOutput | Self::WriteHost | Self::InvokeExpression | Self::StartProcess
        )
    }
}

/// The cmdlet of this name, which is no alias.
#[rustfmt::skip]
pub(crate) fn cmdlet(name: &str) -> Option<Cmdlet> {
    Some(match name {
        "add-content" => Cmdlet::AddContent,
        "add-type" => Cmdlet::AddType,
        "clear-content" => Cmdlet::ClearContent,
        "format-volume" | "clear-disk" | "initialize-disk" | "remove-partition" => Cmdlet::ClearDisk,
        "copy-item" => Cmdlet::CopyItem,
        "filter" | "select-object" | "sort-object" | "out-string" | "format-table" | "format-list" | "out-host"
        | "out-default" | "get-unique" | "get-random" => Cmdlet::Filter,
        "foreach-object" => Cmdlet::ForEachObject,
        "get-childitem" => Cmdlet::GetChildItem,
        "get-command" | "gcm" => Cmdlet::GetCommand,
        "get-content" => Cmdlet::GetContent,
        "get-item" | "resolve-path" => Cmdlet::GetItem,
        "get-location" | "pwd" | "gl" => Cmdlet::GetLocation,
        "invoke-command" => Cmdlet::InvokeCommand,
        "invoke-expression" => Cmdlet::InvokeExpression,
        "invoke-pester" => Cmdlet::InvokePester,
        "invoke-webrequest" | "invoke-restmethod" => Cmdlet::InvokeWebRequest,
        "join-path" => Cmdlet::JoinPath,
        "move-item" => Cmdlet::MoveItem,
        "new-item" => Cmdlet::NewItem,
        "new-object" => Cmdlet::NewObject,
        "out-file" => Cmdlet::OutFile,
        "out-null" => Cmdlet::OutNull,
        "pop-location" => Cmdlet::PopLocation,
        "push-location" => Cmdlet::PushLocation,
        "remove-alias" => Cmdlet::RemoveAlias,
        "remove-item" => Cmdlet::RemoveItem,
        "rename-item" => Cmdlet::RenameItem,
        "select-string" => Cmdlet::SelectString,
        "set-alias" | "new-alias" => Cmdlet::SetAlias,
        "set-content" => Cmdlet::SetContent,
        "set-location" => Cmdlet::SetLocation,
        "set-variable" => Cmdlet::SetVariable,
        "start-bitstransfer" => Cmdlet::StartBitsTransfer,
        "start-job" | "measure-command" | "start-threadjob" => Cmdlet::StartJob,
        "start-process" => Cmdlet::StartProcess,
        "tee-object" => Cmdlet::TeeObject,
        "where-object" => Cmdlet::WhereObject,
        "write-host" | "write-information" => Cmdlet::WriteHost,
        "write-output" => Cmdlet::WriteOutput,
        _ => return None,
    })
}

/// The cmdlet behind an alias. Unix has programs in place of some.
#[rustfmt::skip]
pub(crate) fn alias(name: &str) -> Option<Cmdlet> {
    Some(match name {
        "gc" | "cat" | "type" => Cmdlet::GetContent,
        "gci" | "ls" | "dir" => Cmdlet::GetChildItem,
        "sc" => Cmdlet::SetContent,
        "ac" => Cmdlet::AddContent,
        "clc" => Cmdlet::ClearContent,
        "ni" => Cmdlet::NewItem,
        "ri" | "rm" | "del" | "erase" | "rd" | "rmdir" => Cmdlet::RemoveItem,
        "sls" => Cmdlet::SelectString,
        "iex" => Cmdlet::InvokeExpression,
        "iwr" | "irm" => Cmdlet::InvokeWebRequest,
        "echo" | "write" => Cmdlet::WriteOutput,
        "sl" | "cd" | "chdir" => Cmdlet::SetLocation,
        "%" | "foreach" => Cmdlet::ForEachObject,
        "?" | "where" => Cmdlet::WhereObject,
        "select" | "sort" | "ft" | "fl" | "fw" | "measure" | "group" | "gm" | "oh" | "compare" => Cmdlet::Filter,
        "tee" => Cmdlet::TeeObject,
        "cp" | "copy" | "cpi" => Cmdlet::CopyItem,
        "mv" | "move" | "mi" => Cmdlet::MoveItem,
        "ren" | "rni" => Cmdlet::RenameItem,
        "icm" => Cmdlet::InvokeCommand,
        "sajb" => Cmdlet::StartJob,
        "saps" | "start" => Cmdlet::StartProcess,
        "sal" | "nal" => Cmdlet::SetAlias,
        "gi" => Cmdlet::GetItem,
        "sv" => Cmdlet::SetVariable,
        _ => return None,
    })
}
