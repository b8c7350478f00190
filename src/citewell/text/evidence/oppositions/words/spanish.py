"""Spanish words of opposition."""

from __future__ import annotations

from citewell.text.evidence.oppositions.word_table import OppositionWords

WORDS = OppositionWords(
    denials="no|nunca|jamás|ningun[ao]s?|ningún|sin|ni|tampoco|en lugar de|en vez de",
    noun_denials="sin ningún ninguna",
    limits=(
        r"solo|sólo|solamente|únicamente|salvo|excepto|si|hasta(?! \d)|pero|aunque|poc[oa]s?|"
        r"rar[oa]\w{0,5}|demasiado|falta\w{0,2}|evita\w{0,3}|impid\w{0,3}|impedi\w{0,3}|"
        r"prohib\w{0,4}|imposible|pese|podría\w{0,1}|fals[oa]s?"
    ),
    hidden_denials=(
        "fuera de|lejos de|distint[oa]s? de|diferentes? de|otr[oa]s? que|exent[oa]s?|"
        r"excluid?\w{0,2}|excluy\w{1,3}|rechaz\w{1,3}|descart\w{1,3}|más allá"
    ),
    duties="necesario necesaria obligatorio obligatoria preciso requerido",
    permissions="puede pueden",
    pairs=(
        "antes/después con/sin todos/ninguno todos/ningún todas/ninguna cada/ningún "
        "siempre/nunca dentro/fuera mínimo/máximo mínima/máxima permitido/prohibido "
        "permitida/prohibida permitidos/prohibidos permitidas/prohibidas obligatorio/voluntario "
        "obligatoria/voluntaria obligatorio/opcional primer/último primero/último primera/última "
        "abierto/cerrado abierta/cerrada calor/frío caliente/frío interior/exterior "
        "principio/fin inicio/fin subida/bajada aumento/descenso fácil/difícil útil/inútil "
        "posible/imposible gratuito/pago público/privado ventaja/desventaja ganancia/pérdida "
        "recomendado/desaconsejado mayoría/minoría mayor/menor mayores/menores superior/inferior "
        "alto/bajo alta/baja altos/bajos altas/bajas seco/húmedo rápido/lento "
        "siempre/raramente frecuentemente/raramente duro/blando grueso/delgado profundo/superficial "
        "fuerte/débil largo/corto larga/corta grande/pequeño grande/pequeña "
        "caro/barato cara/barata lleno/vacío llena/vacía ganó/perdió gana/pierde empieza/termina "
        "comienza/termina continúa/cesa permanece/abandona permanecen/abandonan único/varios única/varias "
        "aceptado/rechazado aceptada/rechazada acepta/rechaza aprobado/rechazado norte/sur "
        "incluido/excluido incluida/excluida abre/cierra entra/sale"
    ),
    rising="aument subi sube suben crec increment más mayor superior rápid larg fuert frecuen mejor",
    falling=(
        "disminu baj reduc reduj desciend descend menos menor inferior lent cort débil rar peor "
        "empeor"
    ),
    light="muy casi fuertemente considerablemente todavía aún ya incluso sobre especialmente aproximadamente siempre mismo misma hace hacen",
    than="que",
    comparatives="más menos",
    exceeding=r"(?:super|exced|aventaj)\w{0,5}",
    additions="y e",
)
