/// An accessible as clients see it. Bus name and path together are its identity.
public struct Element: Codable, Hashable, Sendable {
    /// The unique name of the application's connection on the accessibility bus, like `:1.5`.
    public var busName: String
    /// The object path, opaque: toolkits choose it freely.
    public var path: String
    /// The role's stable English name with `-`, like `push-button`, whatever the library version calls it.
    public var role: String
    /// The accessible name, empty where it has none.
    public var name: String
    public var description: String?
    /// The accessible id that the application gave it.
    public var id: String?
    /// The names of the AT-SPI states it is in, like `focusable`.
    public var states: [String]
    public var attributes: [String: String]?
    /// The short names of the AT-SPI interfaces it has, like `Component`.
    public var interfaces: [String]
    public var extents: Extents?
    public var window: Window?
    public var application: Application
    public var selector: String?

    public init(
        busName: String, path: String, role: String, name: String, description: String? = nil, id: String? = nil,
        states: [String], attributes: [String: String]? = nil, interfaces: [String], extents: Extents? = nil,
        window: Window? = nil, application: Application, selector: String? = nil
    ) {
        self.busName = busName
        self.path = path
        self.role = role
        self.name = name
        self.description = description
        self.id = id
        self.states = states
        self.attributes = attributes
        self.interfaces = interfaces
        self.extents = extents
        self.window = window
        self.application = application
        self.selector = selector
    }
}

/// A rectangle in screen coordinates, in pixels.
public struct Extents: Codable, Hashable, Sendable {
    public var x: Int
    public var y: Int
    public var width: Int
    public var height: Int

    public init(x: Int, y: Int, width: Int, height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }
}

/// The window that an element is in.
public struct Window: Codable, Hashable, Sendable {
    public var busName: String
    public var path: String
    public var name: String

    public init(busName: String, path: String, name: String) {
        self.busName = busName
        self.path = path
        self.name = name
    }
}

/// A process that shows accessibles on the accessibility bus.
public struct Application: Codable, Hashable, Sendable {
    public var name: String
    /// The process id as the bus daemon knows it; 0 where it does not.
    public var pid: Int
    public var toolkit: String
    public var busName: String
    /// Whether it answered when focusd last asked it something.
    public var responding: Bool
    /// How many of its accessibles focusd knows now.
    public var nodes: Int?

    public init(name: String, pid: Int, toolkit: String, busName: String, responding: Bool, nodes: Int? = nil) {
        self.name = name
        self.pid = pid
        self.toolkit = toolkit
        self.busName = busName
        self.responding = responding
        self.nodes = nodes
    }
}

/// An assistive technology, or the built-in other kind `keyboard`.
public struct Technology: Codable, Hashable, Sendable {
    public var id: String
    /// Whether it is on the accessibility bus now.
    public var active: Bool
    public var pid: Int?
    public var version: String?
    public var busName: String?

    public init(id: String, active: Bool, pid: Int? = nil, version: String? = nil, busName: String? = nil) {
        self.id = id
        self.active = active
        self.pid = pid
        self.version = version
        self.busName = busName
    }
}

/// The part of an element's text that a technology is on, in characters; both 0 where it is on the whole element.
public struct Region: Codable, Hashable, Sendable {
    public var start: Int
    public var end: Int

    public init(start: Int, end: Int) {
        self.start = start
        self.end = end
    }
}

/// Where one technology is.
public struct Focus: Codable, Hashable, Sendable {
    /// The technology's id; absent where none is active.
    public var technology: String?
    /// The element it is on; absent where it is on none.
    public var element: Element?
    /// The element it was on before, in a stream.
    public var previous: Element?
    /// What the technology is doing, like `focus-tracking` or `flat-review`.
    public var mode: String?
    public var region: Region?
    /// True where focusd concluded this and the technology has not said it.
    public var assumed: Bool
    /// Why this is sent: one of the interface's known causes.
    public var cause: String
    /// Grows with every change, across restarts too.
    public var revision: Int64
    /// When the technology's signal arrived, in microseconds of CLOCK_MONOTONIC.
    public var monotonicMicroseconds: Int64

    public init(
        technology: String? = nil, element: Element? = nil, previous: Element? = nil, mode: String? = nil,
        region: Region? = nil, assumed: Bool, cause: String, revision: Int64, monotonicMicroseconds: Int64
    ) {
        self.technology = technology
        self.element = element
        self.previous = previous
        self.mode = mode
        self.region = region
        self.assumed = assumed
        self.cause = cause
        self.revision = revision
        self.monotonicMicroseconds = monotonicMicroseconds
    }
}

/// What became of a move: never "ok" on trust.
public struct Outcome: Codable, Hashable, Sendable {
    /// One of `confirmed`, `refused`, `timedOut`, `superseded`, `notFound`, `ambiguous`.
    public var result: String
    public var reason: String?
    /// Of `ambiguous`: how many elements the selector matches.
    public var matches: Int?
    /// The route that was confirmed: `none`, `application`, `grabFocus`, `activeDescendant` or `companion`.
    public var route: String?
    public var routesTried: [RouteAttempt]
    public var technologies: [TechnologyResult]
    public var element: Element?
    /// Where typed keys go after it: `moved`, `alreadyThere`, `elsewhere` or `unknown`.
    public var keyboardFocus: String
    public var elapsedMilliseconds: Int

    public init(
        result: String, reason: String? = nil, matches: Int? = nil, route: String? = nil,
        routesTried: [RouteAttempt] = [], technologies: [TechnologyResult] = [], element: Element? = nil,
        keyboardFocus: String, elapsedMilliseconds: Int
    ) {
        self.result = result
        self.reason = reason
        self.matches = matches
        self.route = route
        self.routesTried = routesTried
        self.technologies = technologies
        self.element = element
        self.keyboardFocus = keyboardFocus
        self.elapsedMilliseconds = elapsedMilliseconds
    }
}

/// A route that was tried and why it was given up.
public struct RouteAttempt: Codable, Hashable, Sendable {
    public var route: String
    public var reason: String

    public init(route: String, reason: String) {
        self.route = route
        self.reason = reason
    }
}

/// What became of a move for one technology.
public struct TechnologyResult: Codable, Hashable, Sendable {
    public var id: String
    public var result: String

    public init(id: String, result: String) {
        self.id = id
        self.result = result
    }
}

/// Something that `Diagnose` noticed.
public struct Finding: Codable, Hashable, Sendable {
    /// A stable code, like `noAccessibilityBus`.
    public var code: String
    /// `error`, `warning` or `note`.
    public var severity: String
    /// What is the case.
    public var what: String
    /// What the reader can do about it.
    public var whatToDo: String

    public init(code: String, severity: String, what: String, whatToDo: String) {
        self.code = code
        self.severity = severity
        self.what = what
        self.whatToDo = whatToDo
    }
}
