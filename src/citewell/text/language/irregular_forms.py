"""Irregular English forms that a stemmer cannot reduce: fell, written, children."""

from __future__ import annotations

_IRREGULAR_FORM_ROWS = (
    "arise arose arisen|be been being|bear bore borne|beat beaten|become became|begin began begun|bind bound"
    "|bite bitten|blow blew blown|break broke broken|breed bred|bring brought|build built|buy bought|catch caught"
    "|choose chose chosen|come came|deal dealt|draw drew drawn|drink drank drunk|drive drove driven|eat ate eaten"
    "|fall fell fallen|feed fed|feel felt|fight fought|find found|fly flew flown|forbid forbade forbidden"
    "|forget forgot forgotten|freeze froze frozen|get got gotten|give gave given|go went gone|grow grew grown"
    "|hang hung|hide hid hidden|hold held|keep kept|know knew known|lead led|leave left|lend lent|lose lost"
    "|make made|mean meant|meet met|pay paid|ride rode ridden|ring rang rung|rise rose risen|run ran|say said"
    "|see saw seen|seek sought|sell sold|send sent|shake shook shaken|shine shone|shoot shot|show shown"
    "|shrink shrank shrunk|sing sang sung|sink sank sunk|sleep slept|speak spoke spoken|spend spent"
    "|spring sprang sprung|stand stood|steal stole stolen|stick stuck|strike struck|swear swore sworn"
    "|swim swam swum|take took taken|teach taught|tear tore torn|tell told|think thought|throw threw thrown"
    "|understand understood|wake woke woken|wear wore worn|win won|write wrote written|withdraw withdrew withdrawn"
    "|man men|woman women|child children|foot feet|tooth teeth|mouse mice|life lives|wife wives|half halves"
    "|datum data|medium media|bacterium bacteria|criterion criteria|phenomenon phenomena|analysis analyses"
    "|crisis crises|hypothesis hypotheses|basis bases|thesis theses|index indices|species|person people"
    "|long length lengths|wide width widths|deep depth depths|high height heights|strong strength strengths"
    "|weigh weight weights|die died dying dead death deaths|grow growth|warm warmth|true truth"
)
IRREGULAR_BASES = {
    form: row.split()[0] for row in _IRREGULAR_FORM_ROWS.split("|") for form in row.split()[1:]
}
