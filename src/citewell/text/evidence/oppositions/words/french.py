"""French words of opposition."""

from __future__ import annotations

from citewell.text.evidence.oppositions.word_table import OppositionWords

WORDS = OppositionWords(
    denials=(
        r"ne(?= (?:peut|peuvent|saurai\w{1,3}|pourr\w{1,4}) )|pas|jamais|aucune?|sans|ni|"
        "nullement|guère|plutôt que|au lieu d[eu]"
    ),
    noun_denials="aucun aucune sans",
    limits=(
        r"seulement|uniquement|que|sauf|si|jusqu['’]?\w{0,2}(?! \d)|mais|cependant|bien que|peu|"
        r"rare\w{0,5}|trop|manqu\w{0,4}|évit\w{0,4}|empêch\w{0,4}|interdi\w{0,3}|impossible|"
        r"malgré|pourrai\w{0,3}|faux|fausse"
    ),
    hidden_denials=(
        r"hors d\w{1,2}|en dehors d\w{1,2}|loin d\w{1,2}|différ\w{1,5} d\w{1,2}|autres? que|"
        r"exempt\w{0,2}|exclu\w{0,3}|rejett\w{0,3}|écart\w{1,3}|au-delà"
    ),
    duties="nécessaire obligatoire requis requise tenu tenus besoin",
    permissions="peut peuvent",
    pairs=(
        "avant/après avec/sans tous/aucun toutes/aucune chaque/aucun toujours/jamais "
        "dedans/dehors minimum/maximum minimale/maximale autorisé/interdit autorisée/interdite "
        "permis/interdit autorisés/interdits autorisées/interdites obligatoire/facultatif "
        "obligatoire/facultative premier/dernier première/dernière ouvert/fermé ouverte/fermée "
        "ouverts/fermés chaud/froid chaude/froide intérieur/extérieur début/fin hausse/baisse "
        "facile/difficile utile/inutile possible/impossible gratuit/payant gratuite/payante "
        "public/privé avantage/inconvénient gain/perte recommandé/déconseillé "
        "recommandée/déconseillée majorité/minorité haut/bas haute/basse élevé/bas élevée/basse "
        "sec/humide rapide/lent vite/lentement "
        "toujours/rarement souvent/rarement souvent/jamais dur/mou épais/mince profond/superficiel "
        "fort/faible forte/faible long/court longue/courte grand/petit grande/petite "
        "plein/vide pleine/vide gagné/perdu gagne/perd commence/finit commence/cesse continue/cesse "
        "reste/quitte restent/quittent seul/plusieurs accepté/refusé acceptée/refusée accepté/rejeté "
        "adopté/rejeté accepte/refuse monte/descend nord/sud inclus/exclu incluse/exclue"
    ),
    rising=(
        "augment hauss élev croît croiss accro accr plus supérieur rapide long fort fréquen "
        "meilleur amélior renforc"
    ),
    falling=(
        "diminu baiss rédui chut décroî décroiss moins inférieur lent court faibl rare pire "
        "détérior affaibl"
    ),
    light="très presque fortement nettement considérablement encore déjà même surtout environ toujours est sont être fait font",
    than="que",
    comparatives="plus moins",
    exceeding=r"(?:dépass|surpass|excèd|devanc)\w{0,5}",
    additions="et",
)
