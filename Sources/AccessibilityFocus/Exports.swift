// What an app sees of the socket's shapes. Names that any app may have itself, like `Window`, come under another name.
@_exported import struct FocusProtocol.Extents
@_exported import struct FocusProtocol.Finding
@_exported import struct FocusProtocol.Focus
@_exported import struct FocusProtocol.FocusState
@_exported import struct FocusProtocol.Outcome
@_exported import struct FocusProtocol.OwnerMove
@_exported import struct FocusProtocol.Prototype
@_exported import struct FocusProtocol.Region
@_exported import struct FocusProtocol.RouteAttempt
@_exported import struct FocusProtocol.StaleApplication
@_exported import struct FocusProtocol.StateChange
@_exported import struct FocusProtocol.Technology
@_exported import struct FocusProtocol.TechnologyResult
