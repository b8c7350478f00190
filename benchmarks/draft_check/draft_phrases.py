"""Words of the built texts: titles, headings, sentences that cite nothing, and sentences that only point to a work."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftWords:
    """By language. A phrase that points to a work has its `{topic}` filled in."""

    titles: Mapping[str, tuple[str, ...]]
    headings: Mapping[str, tuple[str, ...]]
    fillers: Mapping[str, tuple[str, ...]]
    work_phrases: Mapping[str, tuple[str, ...]]


_TITLES = {
    "en": (
        "Evidence at a glance: notes for the working group",
        "What the literature says, and what it does not",
        "A short review for the spring report",
        "Background reading for the committee",
        "Numbers worth knowing before the meeting",
        "Sources for the second chapter",
    ),
    "de": ("Überblick für die Arbeitsgruppe", "Was die Quellen sagen"),
    "fr": ("Notes pour le groupe de travail", "Ce que disent les sources"),
    "es": ("Notas para el grupo de trabajo", "Lo que dicen las fuentes"),
}
_HEADINGS = {
    "en": ("Background", "What has been found", "Discussion", "Outlook"),
    "de": ("Hintergrund", "Befunde", "Diskussion", "Ausblick"),
    "fr": ("Contexte", "Résultats", "Discussion", "Perspectives"),
    "es": ("Contexto", "Resultados", "Discusión", "Perspectivas"),
}
_FILLERS = {
    "en": (
        "This matters for the decision ahead",
        "We come back to this point below",
        "The picture is not complete, but it is clear enough",
        "Opinions differ on how much weight this should carry",
        "None of this is new, yet it is often forgotten",
        "A careful reader will want to see the original",
        "We leave the technical side to the appendix",
    ),
    "de": (
        "Darauf kommen wir weiter unten zurück",
        "Für die Entscheidung ist das wichtig",
        "Das Bild ist nicht vollständig, aber klar genug",
        "Neu ist das alles nicht",
    ),
    "fr": (
        "Nous y reviendrons plus bas",
        "Ce point compte pour la décision à prendre",
        "Le tableau n'est pas complet, mais il est assez clair",
        "Rien de tout cela n'est nouveau",
    ),
    "es": (
        "Volveremos sobre este punto más adelante",
        "Esto importa para la decisión que se prepara",
        "El cuadro no está completo, pero es bastante claro",
        "Nada de esto es nuevo",
    ),
}
_WORK_PHRASES = {
    "en": (
        "A closer look is offered by the study of {topic}",
        "The question has been taken up in work on {topic}",
        "Readers may compare the paper on {topic}",
        "Earlier research on {topic} is relevant here",
        "One example is the article on {topic}",
        "Similar methods were used in a study of {topic}",
        "The same concern is raised in research on {topic}",
        "An often cited paper deals with {topic}",
        "Further material can be found in the work on {topic}",
        "We also draw on a paper about {topic}",
        "For the wider context see the study of {topic}",
        "A related line of work concerns {topic}",
        "Our reading of the field owes much to the paper on {topic}",
        "The debate was moved on by the article on {topic}",
        "There is also a publication on {topic}",
        "Comparable material was collected for {topic}",
    ),
    "de": (
        "Verwandt ist die Arbeit über „{topic}“",
        "Einen ähnlichen Ansatz verfolgt die Studie „{topic}“",
        "Zum Vergleich eignet sich der Aufsatz „{topic}“",
        "Weiteres Material bietet „{topic}“",
        "Häufig zitiert wird auch „{topic}“",
        "Auf dieselbe Frage geht „{topic}“ ein",
        "Als Beispiel mag die Untersuchung „{topic}“ dienen",
        "Ergänzend sei auf „{topic}“ verwiesen",
        "Methodisch nahe steht dem die Arbeit „{topic}“",
        "In die gleiche Richtung weist „{topic}“",
        "Grundlegend bleibt der Beitrag „{topic}“",
        "Einen Überblick gibt der Artikel „{topic}“",
    ),
    "fr": (
        "Un travail proche porte sur « {topic} »",
        "On comparera avec l'article « {topic} »",
        "La même question est abordée dans « {topic} »",
        "Un exemple est donné par l'étude « {topic} »",
        "D'autres données figurent dans « {topic} »",
        "On cite souvent l'article « {topic} »",
        "La méthode est voisine de celle de « {topic} »",
        "Voir aussi la publication « {topic} »",
        "Un aperçu se trouve dans « {topic} »",
        "L'étude « {topic} » va dans le même sens",
        "Pour le contexte, on lira « {topic} »",
        "Le débat a été relancé par « {topic} »",
    ),
    "es": (
        "Un trabajo cercano trata de «{topic}»",
        "Conviene comparar con el artículo «{topic}»",
        "La misma cuestión aparece en «{topic}»",
        "Un ejemplo es el estudio «{topic}»",
        "Hay más datos en «{topic}»",
        "Se cita a menudo el artículo «{topic}»",
        "El método se parece al de «{topic}»",
        "Véase también la publicación «{topic}»",
        "Una visión general se encuentra en «{topic}»",
        "El estudio «{topic}» apunta en la misma dirección",
        "Para el contexto puede leerse «{topic}»",
        "El debate se renovó con «{topic}»",
    ),
}
WORDS = DraftWords(titles=_TITLES, headings=_HEADINGS, fillers=_FILLERS, work_phrases=_WORK_PHRASES)
