"""Words that are names and common words as well."""

import builtins
import keyword

# Never taken for a name by themselves: grammar, titles, particles of names, names of accounts.
_OF_GRAMMAR = """
    first second third last one two three a an and are as at be by do for he i if in is it me my
    no not of on or she so the then they to us was we you al bin bint abu ibn da das de del den
    der di dos du el la le les san st van von zu ter ten mac mr mrs ms dr jr sr prof phd msc bsc
    admin account audit auditor automaton code demo dev edu example gmail github gitlab hello
    info mail me member name noreply actions agent asus bot claude codex copilot cursor dell
    dependabot desktop gemini hp laptop lenovo local localhost macbook openai pc root ubuntu
    unknown windows your peer person project repo repository report student students team test
    tester user users work
"""
NEVER_A_NAME = frozenset(_OF_GRAMMAR.split())
# Names only where written with a capital: not every “will” is a student called Will.
_WORDS = """
    able agent amber angel apple april archer art ash august autumn baker banks baron bay bell
    berry best bird bishop black blue bond bright brook brooks brown buck bush butler can
    carpenter carter case cash chance chase cherry child christian church clay clean cliff cloud
    cole cook cooper core court crane cross crystal daisy date dawn day dean dell dirk don drake
    draw drew duke earl east eve evidence fair faith fast field fields finch fish fisher flint
    flow flower ford forest fox frank free friend frost gale gardener gate gene gill glass gold
    good grace grant graph gray green grey guy hall hand harbor hart haven hazel head heath hill
    hook hope house hunt hunter iris ivy jack jade jan jasmine job john joy june judge justice
    just key king knight lake lamb lance land lane law lee light lily link little long lord love
    low major man march mark marsh mason master max may mercy miles mill miller min mint model
    moon more moss node noble north nick norm oak olive page palm park parks parse pat path
    pearl penny pepper pierce pike pine pitt pool pope port porter post potter powers prince
    price prompt quick rain ran ray read reed rich ring river rivers rob robin rock root rose
    rosa ruby rule rush russell sage sand sandy score scott sharp shepherd short sierra silver
    singer sky small smart smith snow sole son song south spring star state steel step sterling
    stone storm story strong sue summer sun sunny swan swift table tab tailor tate taylor teller
    terry tide tiger tim tom trace tree troy true turner van vale vance victor victory violet
    virtue wade walker wall walls wang ward waters way weaver wells west wheeler white wild will
    wills winter wise wolf wood woods word words worth wren wright yang young
"""
COMMON_WORDS = frozenset(
    {
        *_WORDS.split(),
        *(word.lower() for word in (*keyword.kwlist, *dir(builtins)) if word.isalpha()),
    }
)
