"""A Discourse topic as the server sends it: empty for scripts, with its posts in a noscript element."""

from __future__ import annotations

WORDS = (
    "The gauge at the old pier reads eleven centimetres more than the one at the new quay, and both"
    " were checked against the table of the office last spring."
)


def post(number: int, text: str, *, author: str = "keeper", likes: int = 2) -> str:
    kind = (
        "" if number == 1 else " itemprop='comment' itemscope itemtype='http://schema.org/Comment'"
    )
    return f"""
      <div id='post_{number}'{kind} class='topic-body crawler-post'>
        <div class='crawler-post-meta'>
          <span class="creator" itemprop="author" itemscope itemtype="http://schema.org/Person">
            <a itemprop="url" rel='nofollow' href='https://forum.example.org/u/{author}{number}'><span itemprop='name'>{author}{number}</span></a>
          </span>
          <span class="crawler-post-infos">
            <time itemprop='datePublished' datetime='2026-05-{number % 28 + 1:02}T08:00:00Z' class='post-time'>May 2026</time>
            <meta itemprop='dateModified' content='2026-05-02T08:00:00Z'>
            <span itemprop='position'>{number}</span>
          </span>
        </div>
        <div class='post' itemprop='text'>{text}</div>
        <div itemprop="interactionStatistic" itemscope itemtype="http://schema.org/InteractionCounter">
          <meta itemprop="interactionType" content="http://schema.org/LikeAction"/>
          <meta itemprop="userInteractionCount" content="{likes}" /><span class='post-likes'>{likes} Likes</span>
        </div>
      </div>"""


def topic(count: int = 20, *, more: bool = False, in_noscript: bool = True) -> str:
    posts = [post(1, f"<p>Which gauge is right? {WORDS}</p>")]
    posts += [post(number, f"<p>Reply number {number}. {WORDS}</p>") for number in range(2, count)]
    posts += [post(count, "<p>Solved, thanks.</p><pre><code>tide --fix\n</code></pre>", likes=0)]
    next_page = (
        "<b><a rel='next' href='/t/which-gauge/77?page=2'>next page →</a></b>" if more else ""
    )
    body = f"""
    <header class="d-header"><a href="/">Harbour forum</a></header>
    <div id="main-outlet" class="wrap" role="main">
      <div id="topic-title"><h1><a href="/t/which-gauge/77">Which gauge is right?</a></h1>
        <div class="topic-category"><a href="/c/tides/5"><span itemprop='name'>Tides</span></a></div></div>
      <div itemscope itemtype='http://schema.org/DiscussionForumPosting'>
        <meta itemprop='headline' content='Which gauge is right?'>{"".join(posts)}
      </div>
      <div role='navigation'>{next_page}</div>
      <div id="related-topics"><h2>Related topics</h2><table><tr><td><a href="/t/x/9">Another topic</a></td></tr></table></div>
    </div>
    <footer><nav><a href="/tos">Terms of Service</a></nav><p>Powered by Discourse, best viewed with JavaScript enabled</p></footer>"""
    inside = f'<noscript data-path="/t/which-gauge/77">{body}</noscript>' if in_noscript else body
    return f"""<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">
    <title>Which gauge is right? - Tides - Harbour forum</title>
    <meta name="generator" content="Discourse 3.4.0 - https://github.com/discourse/discourse version abc">
    <link rel="canonical" href="https://forum.example.org/t/which-gauge/77"></head>
    <body class="docked"><discourse-assets></discourse-assets>{inside}<section id="main"></section>
    <div class="hidden" id="data-preloaded" data-preloaded="{{}}"></div><script src="/assets/start.js"></script>
    <p class="powered-by-link">Powered by Discourse</p></body></html>"""
