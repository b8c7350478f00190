"""Drafts for the tests, and what they are compared by."""

from __future__ import annotations

from citewell.drafts.draft import Draft

NUMBERED = """# Sleep and memory

Sleep deprivation reduces recall by about 20% in adults [1], whereas naps of 90 minutes improve it [2, 4-5]. Memory is consolidated in slow-wave sleep.[3]

- Caffeine has a half-life of 5 hours ([source](https://example.org/caffeine)).
- Students who sleep less have lower grades [9].

## References

1. Walker, M. P., & Stickgold, R. (2004). Sleep-dependent learning and memory consolidation. *Neuron*, 44(1), 121-133. https://doi.org/10.1016/j.neuron.2004.08.031
2. Mednick S, Nakayama K, Stickgold R. Sleep-dependent learning: a nap is as good as a night. Nat Neurosci. 2003;6:697-8.
3. Diekelmann, S., Born, J. (2010). The memory function of sleep. Nature Reviews Neuroscience 11, 114–126.
4. Rasch B, Born J. About sleep's role in memory. Physiol Rev. 2013.
5. Stickgold R. Sleep-dependent memory consolidation. Nature. 2005;437:1272–1278.
6. Unused A. Never cited work. Journal of Nothing. 2001.
"""

NAMED = """Climate and crops

Heat reduces maize yields (Lobell et al., 2011; Schlenker & Roberts, 2009). Lobell et al. (2011) estimated a loss of 3.8% for maize, while Ray and Foley (2013) found that yields stagnate on 26% of areas. The World Bank (2020) reports rising prices. Doe (2021a, 2021b) disagrees. According to Müller und Schmidt (2018), droughts doubled (vgl. Meyer 2017, S. 12). Smith and Jones 2020, p. 12, put it differently. Wheat output in Europe grew by 12% between 1990 and 2005. Adaptation may help (IPCC, 2014, p. 33).

References

Doe, J. (2021a). First thing. Journal A, 1, 1-2.
Doe, J. (2021b). Second thing. Journal B, 2, 3-4.
IPCC (2014). Climate Change 2014: Synthesis Report. Geneva: IPCC.
Lobell, D. B., Schlenker, W., & Costa-Roberts, J. (2011). Climate trends and global crop production since 1980. Science, 333(6042), 616-620.
Meyer, H. (2017). Dürre in Europa. Springer.
Müller, A. und Schmidt, B. (2018): Trockenheit. In: Zeitschrift für Klima 4, S. 1–10.
Schlenker, W., & Roberts, M. J. (2009). Nonlinear temperature effects. PNAS, 106(37), 15594-15598.
Smith, P. and Jones, Q. (2020). A title. Nature, 1, 2.
World Bank (2020). World Development Report 2020. Washington, DC.
"""


def map_citations(draft: Draft) -> dict[str, list[str]]:
    """The references of each citation, by its text: first author and year, or the address."""
    named: dict[str, str] = {}
    for cited in draft.references:
        reference = cited.reference
        author = reference.authors[0] if reference.authors else None
        name = (author.family or author.name) if author else ""
        named[cited.id] = f"{name} {reference.year}" if name else reference.url or reference.raw
    return {
        citation.text: [
            *(named[found] for found in citation.reference_ids),
            *(f"missing {found}" for found in citation.missing),
        ]
        for citation in draft.citations
    }
