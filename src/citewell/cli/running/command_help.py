"""The help text of every command, in the order of the list that `citewell --help` prints.

The texts stand here and not in the commands' modules, so that the list is printed without loading
them. The first paragraph is the line of the list.
"""

from __future__ import annotations

PROGRAM_HELP = (
    "Research with sources that exist: search the web from here, or serve an AI assistant over MCP."
)
EXIT_CODES_HELP = (
    "Exit codes: 0 success; 1 nothing found, or a check failed; 2 wrong usage or configuration; "
    "3 an upstream failed, or something could not be checked; 70 a bug in Citewell; 74 reading or writing failed; "
    "130 interrupted; 141 the output was closed early."
)
HIDDEN_COMMANDS = frozenset({"reference"})  # for developers of Citewell

COMMAND_HELP = {
    "serve": """Serve an AI assistant over MCP, by stdio or HTTP.

Over stdio, which is the default, a client starts this command itself and talks to it through standard input and output; run by hand it only waits. Over HTTP (--http, or if PORT is set) it runs by itself, and clients connect to http://HOST:PORT/mcp; open http://HOST:PORT/ in a browser to see how.

By default HTTP serves this machine alone. To serve others, switch on one of three ways to prove who is calling (OAuth, API tokens, or a proxy that logs people in), and then name the interface with --host; docs/operating has a guide for each.

Without a choice of tools the default profile is offered: sixteen tools that search, read, check
citations and drafts, keep research sessions and run deep research. Names of toolsets replace it;
with a plus before them, as in --toolsets +domains, they are added to it.
`citewell tools` lists all tools with their toolsets.""",
    "search": """Search the web and list the results.

They are what an assistant would get from web_search.""",
    "news": """Search recent news.

The articles are what an assistant would get from news_search.""",
    "images": """Search images, with licence and author where they are stated.

The images are what an assistant would get from image_search. Small previews are shown in terminals that
can show them; CITEWELL_THUMBNAILS=false switches them off.""",
    "papers": """Search scholarly papers.

They are what an assistant would get from academic_search.""",
    "patents": """Search patents by words, number, company or inventor.

They are what an assistant would get from patent_search.""",
    "cases": """Search decisions of courts, EU and UK law, and US regulations.

They are what an assistant would get from legal_search.""",
    "trials": """Search registered clinical trials.

They are what an assistant would get from clinical_search.""",
    "series": """Search statistical series, or print the values of one (--id).

They are what an assistant would get from econ_search.""",
    "places": """Search physical places: cafés, shops, services, sights.

They are what an assistant would get from local_search.""",
    "filings": """Search filings of companies with the US SEC.

A company, ticker or CIK lists its filings; other words search the text of all of them. They are what
an assistant would get from filing_search. The SEC wants your mail address: EDGAR_CONTACT_EMAIL.""",
    "answer": """Answer a question, and say what each cited page says to it.

It is what an assistant would get from answer. Without a key the answer consists of quotations.""",
    "brand": """Research a company's brand from its own pages.

Colours, logos, typefaces and tone of voice, as an assistant would get from brand_research.""",
    "read": "Read pages and documents as markdown, several at a time.",
    "check": """Check a draft against its own citations.

Which of its references exist, stand, and say what they are cited for? A table lists what was found, with the passage of the source and a repair; --html, --md and --sarif show it in place, --fix rewrites references where the repair is certain, after it has shown the difference. Exits with 1 if something is wrong (--fail-on says what that is), and with 3 if something could not be checked.

The draft goes to nobody: registries and cited sites get the identifiers, titles and addresses that it cites. Only if a model is configured as judge, single statements and passages go to that model.""",
    "verify": """Check one citation with the registries.

Does it exist, does it describe the right work, was it not retracted, and does it address a claim?
Exits with 1 if it is retracted, mismatched, not registered or not found, and with 3 if it could not
be checked.""",
    "audit": """Check a file's references and the cases that its text cites.

Does it exist, does it describe the right work, and was it not retracted? In a text (.docx, .pdf,
.txt, .md, .tex) every case citation is found and looked up; only citations and names of cases are
sent out. Exits with 1 if a reference is retracted, mismatched or not registered, or if a cited case
is wrong or was not found where it must be, and with 3 if something could not be checked.""",
    "cite": """Look up works and print them in a citation style.

Exits with 1 if a work is not registered, and with 3 if no registry could be asked.""",
    "research": """Research a question in depth and print a cited report.

The report has evidence for every claim. On a terminal it is shown formatted; in a pipe, or with
--out, it is markdown.""",
    "jobs": """List, show, watch, cancel or erase research jobs.

It also records the cost of a paid call whose answer was lost.""",
    "report": "Print the report of a finished research job.",
    "credits": """Show the remaining research budget, or add to it.

Until credit is added there is no limit.""",
    "watch": """Watch bibliographies and searches, and tell only what changed.

A watched bibliography tells when something in it was retracted, corrected, moved or died; a saved search tells what it had not found before. `citewell worker` checks what is due while it runs; without it, let cron run `citewell watch check`, which exits with 1 if there is news and with 3 if something could not be checked.""",
    "worker": """Run queued research jobs and checks until stopped.

The jobs are those of this machine, or of a shared PostgreSQL database; the checks are those of `citewell watch` that are due.""",
    "sessions": "List research sessions, show one, or export it.",
    "library": """Add your own documents, and search them with the web.

They are listed, removed and exported here too.""",
    "data": """Get what works without a network: retractions, and an encoder.

The table of retractions comes from the public Retraction Watch file; the encoder ranks passages by
meaning.""",
    "doctor": """Check providers, registries and the installation.

Exits with 1 if no provider can search the web or a check failed, such as that of the master key.""",
    "tools": """List the tools with their toolsets and sizes.

Sizes are in tokens of four bytes.""",
    "backup": """Copy sessions, library and keys into one encrypted file.

Servers may keep running.""",
    "restore": """Replace the state with a backup.

It needs the master key that was used when the backup was made. Stop all servers first. A backup from
SQLite can be restored on PostgreSQL, and the reverse.""",
    "migrate": """Update the database schemas.

A server otherwise does this when it first uses them.""",
    "keys": """Show where the master key comes from, or replace it.

Servers may keep running. Keys are never printed.""",
    "audit-log": """Verify the audit log, export it, or print its head.

Servers may keep running. `verify` finds rows that were edited, deleted, moved, inserted or cut off,
names the first bad one and exits with 1. `head` prints what to keep elsewhere, so that a log that is
replaced as a whole is noticed too (`verify --anchor`).""",
    "users": """Manage API tokens; list, export and erase users.

Servers may keep running. A token is shown once, when it is made. An erasure cannot be undone, also
deletes keys from copies that Citewell keeps, and prints a receipt.""",
    "consent": """List, grant or withdraw the consents of one user.

The purposes are memory, analytics, workspace and monitoring.""",
    "workspaces": """List, add or remove the members of a workspace.""",
    "reference": """Write the files that are generated from the code.

They are the manifest, the reference pages, golden schemas, .env.example and server.json.""",
}
