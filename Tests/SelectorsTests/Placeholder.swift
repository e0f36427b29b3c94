import Testing

@testable import Selectors

@Test func quick() throws {
    for text in ["application[name=\"firefox\"] frame:active entry[name*=\"Search\"]", "dialog[name^='Save'] > push-button:nth-child(2)", "#send-button", "*:has(> label[name=\"Total\"]):not(:hidden)"] {
        print(try Selector(text))
    }
}
