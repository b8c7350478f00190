"""Tables of hosts whose source type, subject or authority is known; subdomains count too."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

_GOVERNMENT_HOSTS = """
    europa.eu who.int un.org oecd.org worldbank.org imf.org wto.org unesco.org unicef.org ilo.org iaea.org
    nato.int bund.de bundesregierung.de admin.ch bundestag.de parliament.uk canada.ca gc.ca
    courtlistener.com justia.com law.cornell.edu bailii.org austlii.edu.au canlii.org legislation.gov.uk
    ecb.europa.eu bundesbank.de bankofengland.co.uk federalreserve.gov bis.org gesetze-im-internet.de
"""
_SCHOLARLY_HOSTS = """
    nature.com science.org sciencemag.org cell.com thelancet.com nejm.org bmj.com jamanetwork.com plos.org
    pnas.org sciencedirect.com elsevier.com springer.com springeropen.com biomedcentral.com wiley.com
    tandfonline.com sagepub.com oup.com cambridge.org acs.org rsc.org iop.org aps.org aip.org ieee.org
    acm.org mdpi.com frontiersin.org hindawi.com peerj.com elifesciences.org jstor.org arxiv.org biorxiv.org
    medrxiv.org chemrxiv.org ssrn.com osf.io researchsquare.com pubmed.ncbi.nlm.nih.gov pmc.ncbi.nlm.nih.gov
    europepmc.org semanticscholar.org openreview.net aclanthology.org neurips.cc mlr.press usenix.org
    royalsocietypublishing.org annualreviews.org degruyter.com karger.com lww.com acpjournals.org
    physiology.org asm.org doi.org ahajournals.org ascopubs.org jmlr.org copernicus.org scielo.org
"""
_DOCUMENTATION_HOSTS = """
    developer.mozilla.org docs.python.org readthedocs.io readthedocs.org learn.microsoft.com pkg.go.dev go.dev
    docs.rs doc.rust-lang.org rust-lang.org nodejs.org kubernetes.io docs.docker.com docs.aws.amazon.com
    cloud.google.com developers.google.com developer.apple.com developer.android.com docs.oracle.com
    docs.github.com docs.gitlab.com postgresql.org sqlite.org w3.org whatwg.org ietf.org rfc-editor.org
    man7.org cppreference.com reactjs.org react.dev vuejs.org angular.dev djangoproject.com pytorch.org
    tensorflow.org numpy.org pandas.pydata.org scikit-learn.org docs.spring.io php.net ruby-doc.org
    redis.io nginx.org terraform.io hashicorp.com openai.com anthropic.com modelcontextprotocol.io
    debian.org archlinux.org kernel.org gnu.org swift.org kotlinlang.org typescriptlang.org
"""
_NEWS_HOSTS = """
    reuters.com apnews.com afp.com bbc.com bbc.co.uk nytimes.com washingtonpost.com theguardian.com wsj.com
    ft.com economist.com bloomberg.com cnn.com npr.org pbs.org nbcnews.com cbsnews.com abcnews.go.com
    abc.net.au cbc.ca aljazeera.com dw.com france24.com lemonde.fr lefigaro.fr liberation.fr spiegel.de
    zeit.de faz.net sueddeutsche.de tagesschau.de elpais.com elmundo.es corriere.it repubblica.it nhk.or.jp
    asahi.com mainichi.jp nikkei.com scmp.com straitstimes.com thehindu.com indiatimes.com time.com
    theatlantic.com newyorker.com politico.com politico.eu axios.com usatoday.com latimes.com cnbc.com
    forbes.com businessinsider.com techcrunch.com arstechnica.com wired.com theverge.com independent.co.uk
    telegraph.co.uk thetimes.co.uk sky.com propublica.org theregister.com nos.nl svt.se nrk.no yle.fi
    meduza.io novayagazeta.eu xinhuanet.com yomiuri.co.jp folha.uol.com.br lanacion.com.ar
"""
_FORUM_HOSTS = """
    stackoverflow.com stackexchange.com superuser.com serverfault.com askubuntu.com mathoverflow.net
    stackapps.com reddit.com news.ycombinator.com quora.com discourse.org lobste.rs discuss.python.org
    xda-developers.com resetera.com zhihu.com v2ex.com gutefrage.net
"""
_SOCIAL_MEDIA_HOSTS = """
    twitter.com x.com facebook.com instagram.com linkedin.com tiktok.com threads.net threads.com bsky.app
    mastodon.social pinterest.com snapchat.com tumblr.com vk.com weibo.com youtube.com youtu.be t.me
    telegram.org truthsocial.com
"""
_BLOG_HOSTS = """
    medium.com dev.to substack.com wordpress.com blogspot.com blogger.com hashnode.dev hashnode.com ghost.io
    ghost.org bearblog.dev livejournal.com typepad.com svbtle.com write.as micro.blog github.io
    hackernoon.com
"""
_WIKI_HOSTS = """
    wikipedia.org wikidata.org wiktionary.org wikimedia.org wikibooks.org wikiversity.org wikivoyage.org
    wikisource.org wikiquote.org fandom.com wikihow.com scholarpedia.org citizendium.org
"""
_HOSTS_BY_SOURCE_TYPE = {
    "government": _GOVERNMENT_HOSTS,
    "peer_reviewed": _SCHOLARLY_HOSTS,
    "official_docs": _DOCUMENTATION_HOSTS,
    "news_publication": _NEWS_HOSTS,
    "forum": _FORUM_HOSTS,
    "social_media": _SOCIAL_MEDIA_HOSTS,
    "blog": _BLOG_HOSTS,
    "wiki": _WIKI_HOSTS,
}
_HOSTS_BY_SUBJECT = {
    "legal": """
        courtlistener.com justia.com law.cornell.edu bailii.org austlii.edu.au canlii.org legislation.gov.uk
        supremecourt.gov uscourts.gov govinfo.gov federalregister.gov congress.gov eur-lex.europa.eu curia.europa.eu
        findlaw.com lawfaremedia.org scotusblog.com oyez.org gesetze-im-internet.de legifrance.gouv.fr
        regulations.gov ecfr.gov law.com hudoc.echr.coe.int icj-cij.org
    """,
    "medical": """
        nih.gov cdc.gov fda.gov who.int clinicaltrials.gov nhs.uk nice.org.uk mayoclinic.org clevelandclinic.org
        webmd.com medlineplus.gov cochrane.org cochranelibrary.com nejm.org thelancet.com bmj.com jamanetwork.com
        medscape.com ema.europa.eu hopkinsmedicine.org uptodate.com drugs.com cancer.gov cancer.org medrxiv.org
        ahajournals.org heart.org rki.de healthline.com acpjournals.org pubmed.ncbi.nlm.nih.gov
    """,
    "financial": """
        sec.gov federalreserve.gov imf.org worldbank.org bis.org ecb.europa.eu bloomberg.com ft.com wsj.com
        investopedia.com marketwatch.com morningstar.com finance.yahoo.com nasdaq.com nyse.com cnbc.com seekingalpha.com
        treasury.gov fred.stlouisfed.org stlouisfed.org bankofengland.co.uk bundesbank.de economist.com fool.com
        londonstockexchange.com spglobal.com moodys.com finra.org cftc.gov nikkei.com
    """,
    "technical": """
        github.com gitlab.com stackoverflow.com stackexchange.com superuser.com serverfault.com askubuntu.com
        news.ycombinator.com lobste.rs dev.to crates.io huggingface.co hackernoon.com nist.gov
        cisa.gov cve.org nvd.nist.gov owasp.org sans.org krebsonsecurity.com arstechnica.com theregister.com
        docker.com microsoft.com bitbucket.org sourceforge.net infoq.com martinfowler.com ieee.org acm.org
    """,
}
# Sites with more or less authority than others of their source type.
_HOSTS_BY_AUTHORITY = {
    0.9: "github.com stackoverflow.com wikipedia.org developer.mozilla.org stackexchange.com archive.org",
    0.3: "bit.ly t.co tinyurl.com goo.gl ow.ly is.gd buff.ly rb.gy cutt.ly",
}


@cache
def load_source_types() -> Mapping[str, str]:
    return _invert_host_table(_HOSTS_BY_SOURCE_TYPE)


@cache
def load_subjects() -> Mapping[str, str]:
    return _invert_host_table(_HOSTS_BY_SUBJECT)


@cache
def load_authorities() -> Mapping[str, float]:
    return {host: value for value, hosts in _HOSTS_BY_AUTHORITY.items() for host in hosts.split()}


def _invert_host_table(table: Mapping[str, str]) -> Mapping[str, str]:
    return {host: kind for kind, hosts in table.items() for host in hosts.split()}
