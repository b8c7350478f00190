"""Statements that say the contrary of a nearly equal sentence, in four languages, and ones that do not."""

from __future__ import annotations

import pytest

from citewell.evidence.comparison.statement_twins import find_statement_twins, find_twin_opposition
from citewell.evidence.signs.claim_support import SourceText
from citewell.evidence.signs.oppositions.compared_sentence import Certainty
from citewell.evidence.signs.oppositions.opposition import Opposition
from citewell.evidence.signs.sentence_features import build_sentence_features


def compare(statement: str, text: str, language: str) -> Opposition | None:
    asked = build_sentence_features(statement, language=language)
    source = SourceText(text=text, language=language)
    found = find_twin_opposition(asked, find_statement_twins(asked, source), source)
    return found.opposition if found else None


def is_sure(statement: str, source: str, language: str) -> bool:
    found = compare(statement, source, language)
    return found is not None and found.certainty is Certainty.SURE


@pytest.mark.parametrize(
    ("language", "statement", "source"),
    [
        ("en", "Copper pipes resist the acid.", "Copper pipes do not resist the acid, which eats into them."),
        ("en", "The harbour was not dredged before the fair.", "The harbour was dredged twice before the fair."),
        ("en", "The pilot ran with any outside funding at all.", "The pilot ran without any outside funding."),
        ("de", "Gäste dürfen den Garten im Winter betreten.", "Gäste dürfen den Garten im Winter nicht betreten."),
        ("de", "Die Fähre fährt sonntags nicht nach Amrum.", "Die Fähre fährt sonntags dreimal nach Amrum, je nach Tide."),
        ("fr", "Le musée n'est pas ouvert le lundi matin.", "Le musée est ouvert le lundi matin, avec un guide."),
        ("fr", "La digue protège le village des crues.", "La digue ne protège pas le village des crues."),
        ("en", "The syrup prevents fevers in toddlers who eat enough.", "The syrup does not prevent colds, coughs or fevers in toddlers who eat enough."),
        ("en", "Barges were tested with costly foreign engines.", "The report shows how barges were tested on three rivers with the oldest crews, without costly foreign engines."),
        ("en", "Moss cannot grow on a copper roof.", "A copper roof lasts for a century. Moss can still grow in its seams."),
        ("en", "The lamp harms the eyes of divers.", "There is no evidence that the lamp harms the eyes of divers."),
        ("en", "The mill was driven by wind rather than by water.", "The mill was driven by water rather than by wind."),
        ("fr", "Il n'est pas nécessaire de rincer la cuve après la cuisson.", "Rincez la cuve à froid après la cuisson."),
        ("de", "Der Verein darf den Beitrag nicht früher verlangen.", "Der Verein hat das Recht, den Beitrag früher zu verlangen."),
        ("es", "La vacuna no protege a los terneros recién nacidos.", "La vacuna protege a los terneros recién nacidos durante un mes."),
    ],
)  # fmt: skip
def test_a_denial_in_one_of_two_equal_sentences_is_a_contrary(
    language: str, statement: str, source: str
) -> None:
    assert is_sure(statement, source, language)


@pytest.mark.parametrize(
    ("language", "statement", "source"),
    [
        ("en", "Prices of bread rose in the second quarter.", "Prices of bread fell in the second quarter."),
        ("en", "The bridge was closed before the flood of 1954.", "The bridge was closed after the flood of 1954."),
        ("en", "Smoking is allowed in the courtyard.", "Smoking is prohibited in the courtyard."),
        ("en", "The northern valley is getting drier.", "The northern valley is getting wetter."),
        ("en", "The village is sinking by two millimetres a year.", "The village is rising by two millimetres a year."),
        ("en", "The old pumps almost always need oil.", "The old pumps seldom need oil."),
        ("en", "The choir continued to sing after the war.", "The choir ceased to sing after the war."),
        ("en", "Small traders in the port shunned the offer.", "Small traders in the port have welcomed the offer."),
        ("en", "Bonds were sold at a premium to their close.", "Bonds were sold at a discount to their close."),
        ("en", "All wolves are bad for the valley.", "A common myth is that all wolves are bad for the valley."),
        ("de", "Der neue Hafen ist bei Seglern unbeliebt.", "Der neue Hafen ist bei Seglern beliebt."),
        ("es", "El molino viejo es inestable en invierno.", "El molino viejo es estable en invierno."),
        ("es", "El caudal del río negro sube en verano.", "El río negro nace en la sierra. El caudal baja en verano."),
        ("de", "Die Zahl der Brutpaare stieg im letzten Jahr.", "Die Zahl der Brutpaare sank im letzten Jahr."),
        ("de", "Das Füttern der Enten ist im Park erlaubt.", "Das Füttern der Enten ist im Park verboten."),
        ("fr", "Le prix du blé augmente en automne.", "Le prix du blé diminue en automne."),
        ("es", "El nivel del embalse aumentó en abril.", "El nivel del embalse disminuyó en abril."),
    ],
)  # fmt: skip
def test_an_opposite_word_in_the_same_place_is_a_contrary(
    language: str, statement: str, source: str
) -> None:
    assert is_sure(statement, source, language)


@pytest.mark.parametrize(
    ("language", "statement", "source"),
    [
        ("en", "Barley tolerates salt better than rye.", "Rye tolerates salt better than barley."),
        ("en", "The barge outperforms the lorry on long routes.", "The lorry outperforms the barge on long routes."),
        ("en", "Oat bread was preferred to rye bread by the guests.", "Rye bread was preferred to oat bread by the guests."),
        ("de", "Eiche trocknet langsamer als Fichte.", "Fichte trocknet langsamer als Eiche."),
    ],
)  # fmt: skip
def test_a_comparison_with_its_sides_changed_is_a_contrary(
    language: str, statement: str, source: str
) -> None:
    assert is_sure(statement, source, language)


@pytest.mark.parametrize(
    ("language", "statement", "source"),
    [
        ("en", "Copper pipes resist the acid.", "Copper pipes resist the acid, but not the heat."),
        ("en", "Not since records began in 1950 had an October been so dry.", "October was the driest since records began in 1950."),
        ("de", "Nie zuvor war ein Oktober so trocken wie 1950.", "Der Oktober war 1950 so trocken wie keiner davor."),
        ("en", "A fault has to be reported within 48 hours.", "A fault has to be reported without delay and not later than 48 hours after it occurs."),
        ("en", "At most 40 guests fit in the hall.", "No more than 40 guests fit in the hall."),
        ("en", "Hard carbon takes the place of graphite.", "Hard carbon takes the place of graphite, because sodium does not enter graphite well."),
        ("en", "Rye tolerates less salt than barley.", "Barley tolerates more salt than rye."),
        ("en", "Tiles are harder to scratch than the boards.", "Tiles do not swell and are harder to scratch than the boards."),
        ("en", "The new docks take boats up to 40 metres long and 9 metres wide.", "Boats up to 40 metres long and 9 metres wide fit through them; in the old docks the limit is 20 metres."),
        ("en", "Two litres of oil remain to be used each day.", "Two litres of oil are left to be used each day."),
        ("en", "It is not necessary to sign the form at the desk.", "Visitors can sign the form at the desk."),
        ("de", "Ein Eilbrief lässt sich nicht zurückholen.", "Zurückholen lässt sich ein Eilbrief nicht."),
        ("en", "The pump slows when the filter is full.", "The pump slows when the filter is full and speeds up when it is empty."),
        ("en", "Too little water harms the seedlings.", "Not getting enough water harms the seedlings."),
        ("en", "Visitors learn why the clock did not strike.", "Visitors learn why the clock did strike only once."),
        ("en", "The dye stays out of the kidney and is washed away within hours.", "The dye never enters the kidney and is washed away within hours."),
        ("en", "The result shows that the charge of the second particle is not two.", "The result shows that the second particle has a charge different from two."),
        ("de", "Der Farbstoff bleibt außerhalb der Niere und wird bald ausgespült.", "Der Farbstoff gelangt nicht in die Niere und wird bald ausgespült."),
        ("fr", "Le colorant reste hors du rein et disparaît en quelques heures.", "Le colorant ne pénètre pas dans le rein et disparaît en quelques heures."),
        ("es", "El colorante queda fuera del riñón y desaparece en pocas horas.", "El colorante no entra en el riñón y desaparece en pocas horas."),
        ("de", "Die Sitzung darf höchstens acht Stunden dauern.", "Die Dauer der Sitzung darf acht Stunden nicht überschreiten."),
        ("es", "El plazo no puede ser superior a diez días.", "El plazo no podrá ser superior a diez días."),
        ("en", "Leith won the contract for the ferries.", "Hull lost the contract for the ferries to Leith."),
        ("fr", "La séance ne dure pas plus de deux heures.", "La séance dure au plus deux heures."),
    ],
)  # fmt: skip
def test_what_means_the_same_or_may_do_so_is_no_sure_contrary(
    language: str, statement: str, source: str
) -> None:
    assert not is_sure(statement, source, language)


def test_a_sentence_that_agrees_makes_a_contrary_unsure() -> None:
    source = "The ferry does not run on Sundays in winter. The ferry runs on Sundays in winter by request."

    found = compare("The ferry runs on Sundays in winter.", source, "en")

    assert found is None or found.certainty < Certainty.SURE


def test_a_sentence_that_compares_nothing_does_not_speak_for_a_comparison() -> None:
    source = (
        "Rye flour is better for them than oat flour. Put rye flour in place of oat flour for them."
    )

    assert is_sure("Oat flour is better for them than rye flour.", source, "en")


def test_the_contrary_of_one_clause_is_a_contrary_of_the_statement() -> None:
    source = (
        "Blends of syrups are sold widely. However, blended syrups are not approved by the agency."
    )

    assert is_sure(
        "Blends are a worry of their own, because blended syrups are approved by the agency.",
        source,
        "en",
    )
    assert not is_sure(
        "Blends are a worry of their own, because blended syrups are sold widely.", source, "en"
    )


def test_the_words_that_differ_are_named() -> None:
    denied = compare("Copper pipes resist the acid.", "Copper pipes do not resist the acid.", "en")
    turned = compare("Prices of bread rose in May.", "Prices of bread fell in May.", "en")

    assert denied is not None
    assert turned is not None
    assert (denied.stated, denied.given, denied.place) == ("", "not resist the", 0)
    assert (turned.stated, turned.given, turned.ground) == ("rose", "fell", "antonym: rose/fell")


def test_other_languages_are_left_open() -> None:
    assert (
        compare("Il ponte resiste al vento forte.", "Il ponte non resiste al vento forte.", "it")
        is None
    )
