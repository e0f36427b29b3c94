import AccessibilityTree
import Selectors
import Testing

struct ParsingTests {
    @Test(
        "a selector is written in its one canonical form",
        arguments: [
            ("application[name=\"firefox\"] frame:active entry[name*=\"Search\"]", nil),
            ("dialog[name^='Save'] > push-button:nth-child(2)", "dialog[name^=\"Save\"] > push-button:nth-child(2)"),
            ("#send-button", nil),
            ("*:has(> label[name=\"Total\"]):not(:hidden)", ":has(> label[name=\"Total\"]):not(:hidden)"),
            ("*", nil), ("button", "push-button"), ("role-43", "push-button"), ("role-250", nil),
            ("Check-Box", "check-box"),
            ("window", nil), ("role-69", nil), ("label\n>\tentry", "label > entry"),
            ("label+label~label", "label + label ~ label"), ("label,entry , link", "label, entry, link"),
            ("[ name = 'a' I ]", "[name=\"a\" i]"), ("[pid=123]", "[pid=\"123\"]"), ("[level=2]", "[level=\"2\"]"),
            ("[name==\"a\"]", nil), ("[tag]", nil), ("[id=\"a b\"]", nil), ("#a\\ b", "[id=\"a b\"]"),
            ("#QWidget\\.save", "[id=\"QWidget.save\"]"), ("#12", nil), (":nth-child(odd)", ":nth-child(2n+1)"),
            (":nth-child( even )", ":nth-child(2n)"), (":nth-child(-n + 3)", ":nth-child(-n+3)"),
            (":nth-child(+n-1)", ":nth-child(n-1)"), (":nth-child(0)", nil), (":nth-child(1)", ":first-child"),
            (":has(+label, ~ entry > link)", ":has(+ label, ~ entry > link)"),
            (":is(label, entry > :not(link))", nil), (":FOCUSED", ":focused"), (":state-50", nil),
            ("[name=\"a\\a b\"]", nil), ("[name='it\\'s']", "[name=\"it's\"]"), ("[\\66oo]", "[foo]"),
        ] as [(String, String?)])
    func canonical(text: String, canonical: String?) throws {
        let selector = try Selector(parsing: text)
        #expect(selector.description == (canonical ?? text))
        #expect(try Selector(parsing: selector.description) == selector)
    }

    @Test(
        "what cannot be read is refused with its place and what was expected there",
        arguments: [
            ("", 0, "a role"), ("  ", 2, "a role"), (",", 0, "a role"), ("label,", 6, "a role"),
            ("> label", 0, "a role"),
            ("label >", 7, "a role"), ("label > > label", 8, "a role"), ("label >> label", 7, "a role"),
            ("+ ~", 0, "a role"), ("nosuchrole", 0, "the name of a role"), ("entry nosuch", 6, "the name of a role"),
            ("é[", 0, "the name of a role"), ("[é", 3, "=, ~="), ("[name", 5, "=, ~="), ("[name=", 6, "a value"),
            ("[name=\"x\"", 9, "i or ]"), ("[name=\"x", 8, "a closing \""), ("[name='x\"", 9, "a closing '"),
            ("[name=x i", 9, "]"), ("[name~x]", 6, "="), ("[name!=x]", 5, "=, ~="),
            ("[]", 1, "the name of an attribute"),
            ("[name==x i]", 9, "no i"), ("[role=nosuch]", 6, "the name or number of a role"), ("#", 1, "an id"),
            ("# a", 1, "an id"), (":", 1, "the name of a state"), ("::before", 1, "the name of a state"),
            (":nosuch", 1, "the name of a state"), (":not", 4, "( after"), (":not(", 5, "a role"),
            (":not()", 5, "a role"),
            (":not(label", 10, ")"), (":has(label >)", 12, "a role"), (":active(x)", 1, ":not(), :is()"),
            (":nth-child()", 11, "odd, even"), (":nth-child(x)", 11, "odd, even"), (":nth-child(2n+)", 14, "a number"),
            (":nth-child(2 of label)", 13, ")"), (":nth-child(99999999999999999999)", 11, "a number of at most"),
            (":nth-child(999999999999999999)", 11, "a number of at most"), (":nth-child(onn)", 11, "odd, even"),
            (":first-child(2)", 1, ":not(), :is()"), ("[tag]label", 5, "a role only"), ("label*", 5, "a role only"),
            ("label)", 5, "a combinator"), ("label]", 5, "a combinator"), ("label\u{0}", 5, "a combinator"),
            ("\\", 1, "a character after"), ("[name=\"\u{0}\"]", 7, "text without NUL"),
            ("button:nth(1):nth(2)", 7, ":not()"),
        ])
    func errors(text: String, position: Int, expected: String) {
        #expect {
            try Selector(parsing: text)
        } throws: { error in
            guard let error = error as? SelectorError else { return false }
            #expect(error.expected.hasPrefix(expected), "\(error)")
            #expect(error.position == position, "\(error)")
            return true
        }
    }

    @Test("text, depth, steps and conditions beyond their limits are refused with the place")
    func limits() {
        func error(_ text: String) -> SelectorError? {
            do throws(SelectorError) {
                _ = try Selector(parsing: text)
                return nil
            } catch {
                return error
            }
        }
        #expect(
            error(String(repeating: "a", count: 1 << 20))
                == SelectorError(position: 65_536, expected: "at most 65536 bytes"))
        #expect(error(String(repeating: ":not(", count: 10_000))?.expected == "at most 32 nested (")
        #expect(error(String(repeating: ":has(", count: 10_000))?.position == 32 * 5 + 4)
        #expect(error(String(repeating: "* ", count: 256)) == nil)
        #expect(
            error(String(repeating: "* ", count: 257)) == SelectorError(position: 512, expected: "at most 256 steps"))
        #expect(error(String(repeating: ":active", count: 1_024)) == nil)
        #expect(error(String(repeating: ":active", count: 1_025))?.expected == "at most 1024 conditions")
        let deep = String(repeating: ":not(", count: 32) + "*" + String(repeating: ")", count: 32)
        #expect(error(deep) == nil)
    }

    @Test("a random selector reads back as itself")
    func roundTrip() {
        for seed in UInt64(0)..<2_000 {
            var random = RandomSelectors(seed: seed)
            let selector = random.selector()
            let text = selector.description
            #expect(!text.contains { $0.isNewline }, "seed \(seed)")
            #expect((try? Selector(parsing: text)) == selector, "seed \(seed): \(text)")
        }
    }

    @Test("random text is read or refused with a place inside it")
    func randomText() {
        let parts = [
            "label", "*", "#a", "[name=\"x\"]", "[", "]", "(", ")", ":not(", ":has(", ":is(", ":nth-child(", "2n+1",
            ">", "+",
            "~", " ", ",", "\\", "\"", "'", "==", "i", "é", "\u{0}", ":hidden", "-", "--", "9", "\\a ", "\n",
        ]
        for seed in UInt64(0)..<3_000 {
            var random = SeededGenerator(seed: seed)
            let text = (0..<Int.random(in: 0..<12, using: &random)).map { _ in random.pick(parts) }.joined()
            do throws(SelectorError) {
                let selector = try Selector(parsing: text)
                #expect((try? Selector(parsing: selector.description)) == selector, "seed \(seed): \(text)")
            } catch {
                #expect((0...text.utf8.count).contains(error.position), "seed \(seed): \(text)")
            }
        }
    }

    @Test(
        "a role is its number, whatever it is called",
        arguments: [
            "button", "push-button", "Push_Button", "PUSHBUTTON", "role-43", "[role=43]", "[role=\"push button\"]",
            "[role=button]",
        ])
    func roles(text: String) throws {
        let tree = SampleTree(Sample("application", "a", [Sample("push-button"), Sample("label")])).tree
        #expect(try Selector(parsing: text).matches(in: tree, MatchContext()).total == 1)
    }

    @Test("every role's name means that role", arguments: 0..<UInt32(131))
    func everyRole(number: UInt32) throws {
        let role = Role(rawValue: number)
        #expect(try Selector(parsing: "role-\(number)").alternatives[0].first.type == .role(role))
        guard role != .window else { return }
        #expect(try Selector(parsing: role.name).alternatives[0].first.type == .role(role))
    }

    @Test("every state is a pseudo-class", arguments: 0..<UInt8(44))
    func everyState(number: UInt8) throws {
        let state = State(rawValue: number)
        #expect(try Selector(parsing: ":\(state.name)").alternatives[0].first.conditions == [.state(state)])
    }
}
