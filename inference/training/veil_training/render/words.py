"""Vocabulary of the rendered scenes: invented names, numbers and phrases."""

import string
from random import Random

DIGITS, CAPITALS = string.digits, string.ascii_uppercase

WORDS = (
    "about account address after again amount answer apple april article august autumn bakery balance "
    "bank before between bill blue board book bread bridge building business button cable camera card "
    "centre change chapter check choice city class clean close coffee colour company contact corner "
    "country courage course credit daily date delivery detail direct discount doctor door early east "
    "energy engine entry evening event exit factor family figure final finance first floor flower force "
    "forest form fresh friday front garden general glass gold green group guide harbour health history "
    "holiday home hospital hotel house ideal image index industry insurance invoice island january "
    "journal june kitchen label language large late law lemon letter level library light limit line list "
    "local long machine main manager map march market material matter media member menu method middle "
    "milk minute model modern monday month morning motor mountain museum music nature network night north "
    "note notice number october offer office open orange order organic original page paper park parking "
    "part partner party payment people period person phone photo place plan point policy power present "
    "press price print private problem product program project public quality quarter question quick "
    "quiet rate reader ready real receipt record red region report rest result return right river road "
    "room round rule safety sale salt school science screen season second section security service "
    "session share shop short sign silver single small smart snow social soft south space special spring "
    "square staff standard star start station street student style subject summer sunday supply support "
    "system table taste tax team ticket time title today total tower town trade traffic travel tree "
    "tuesday union unit upper user value vat vegan view village visit voice wall warm water weather week "
    "welcome west white wide window winter wood word work world year yellow young zero zone"
).split()

GIVEN_NAMES = (
    "Anna Peter Maria James Lucas Sofia Olga Wei Fatima Hassan Emma David Sarah Ivan Kenji Aisha Priya "
    "Chloe Marco Elena Tomas Ingrid Bruno Nadia Samuel Leila Oscar Yuki Amara Pablo Greta Noah Zoe"
).split()
SURNAMES = (
    "Smith Muller Garcia Rossi Novak Kim Lee Chen Ivanov Silva Khan Singh Jones Brown Martin Dubois Lopez "
    "Hansen Kowalski Papadopoulos Yilmaz Okafor Tanaka Nguyen Ali Larsen Weber Moreau Costa Petrov"
).split()
PLACES = (
    "Springfield Riverside Northgate Lakewood Altdorf Bellavista Fairview Greenfield Hilltop Eastport "
    "Kingsbury Marienberg Montclair Newhaven Oakridge Portside Queensway Rosedale Sunnyvale Torrealta "
    "Valbonne Westbrook Zelena Arcona Brightwater Cedarville Drumlin Elmstead Foxley Granville"
).split()
STREET_SUFFIXES = (" St", " Ave", " Road", " Blvd", " Street", " Lane", " Way", " Drive", " Court")


def letters(rng: Random, count: int, alphabet: str = CAPITALS + DIGITS) -> str:
    """Random characters of an alphabet."""
    return "".join(rng.choice(alphabet) for _ in range(count))


def digits(rng: Random, count: int) -> str:
    """Random digits."""
    return letters(rng, count, DIGITS)


def pattern(rng: Random, template: str) -> str:
    """`A` becomes a capital letter, `9` a digit, `X` either; everything else stays."""
    draws = {"A": CAPITALS, "9": DIGITS, "X": CAPITALS + DIGITS}
    return "".join(rng.choice(draws[c]) if c in draws else c for c in template)


def word(rng: Random) -> str:
    """A word, a number or a pronounceable invention, in varied case."""
    kind = rng.random()
    if kind < 0.7:
        text = rng.choice(WORDS)
    elif kind < 0.85:
        text = digits(rng, rng.randint(1, 5)) + rng.choice(["", "", ".99", "%", ",-", "/12", " kg"])
    else:
        text = "".join(rng.choice("bcdfghklmnprstvwz") + rng.choice("aeiou") for _ in range(rng.randint(1, 4)))
    case = rng.random()
    return text.upper() if case < 0.2 else text.capitalize() if case < 0.5 else text


def phrase(rng: Random, count: int) -> str:
    """Words joined by spaces."""
    return " ".join(word(rng) for _ in range(count))


def full_name(rng: Random) -> str:
    """Given name and surname."""
    return f"{rng.choice(GIVEN_NAMES)} {rng.choice(SURNAMES)}"


def date(rng: Random) -> str:
    """A date in one of the common notations."""
    day, month, year = rng.randint(1, 28), rng.randint(1, 12), rng.randint(1940, 2035)
    form = rng.choice(["{0:02d}.{1:02d}.{2}", "{0:02d}/{1:02d}/{2}", "{2}-{1:02d}-{0:02d}", "{0:02d} {1:02d} {2}"])
    return form.format(day, month, year)


def price(rng: Random) -> str:
    """An amount with two decimals."""
    return f"{rng.randint(0, 199)}{rng.choice('.,')}{rng.randint(0, 99):02d}"


def street(rng: Random) -> str:
    """A street name in one of several languages' form."""
    place = rng.choice(PLACES)
    return rng.choice(
        [
            place + rng.choice(STREET_SUFFIXES),
            "Rue " + word(rng).title(),
            place + "straße",
            "Via " + rng.choice(SURNAMES),
            "Calle " + word(rng).title(),
            "ul. " + place,
            f"{rng.randint(1, 99)}{rng.choice(['th', 'nd', 'st'])} Ave",
            "Place " + place,
        ]
    )


def machine_readable_lines(rng: Random, rows: int, columns: int) -> list[str]:
    """Lines shaped like a machine-readable zone (ICAO 9303); check digits are not computed."""
    issuer = letters(rng, 3, CAPITALS)
    names = f"{rng.choice(SURNAMES)}<<{rng.choice(GIVEN_NAMES)}<{rng.choice(GIVEN_NAMES)}".upper()
    kind = "P<" if rows == 2 else "ID"
    number = pattern(rng, "AA9999999") + digits(rng, 1)
    person = digits(rng, 7) + rng.choice("MF<") + digits(rng, 7)
    if rows == 2:
        lines = [kind + issuer + names, number + issuer + person]
    else:
        lines = [kind + issuer + number, person + issuer, names]
    return [(line + "<" * columns)[:columns] for line in lines]
