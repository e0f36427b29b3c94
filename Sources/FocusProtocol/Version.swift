/// The version of focusd, focusctl and the client library, which are released together.
public let focusdVersion = "0.1.0"
