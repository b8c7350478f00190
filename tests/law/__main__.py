"""`python -m tests.law [seen|unseen]`: runs one half of the evaluation and tells what went wrong."""

from __future__ import annotations

import asyncio
import sys
from collections import Counter

from tests.law import evaluate
from tests.law.evaluate import TriedItem
from tests.law.items import LawItem, list_items


def main() -> None:
    side = sys.argv[1] if sys.argv[1:] else "seen"
    items = list_items(side)
    with evaluate.stand_registry() as internet:
        _print_figures("verify_citation", asyncio.run(evaluate.verify_items(items, internet)))
        with_token = asyncio.run(evaluate.verify_items(items, internet, evaluate.TOKEN))
        _print_figures("verify_citation with a token", with_token)
        briefs: list[TriedItem] = []
        for start in range(0, len(items), 60):
            part: list[LawItem] = list(items[start : start + 60])
            briefs += asyncio.run(evaluate.audit_items(part, internet))
        _print_figures("audit_bibliography of briefs with 60 citations", briefs)
        genuine = [one for one in items if one.is_genuine][::2]
        for name, fault in evaluate.LAW_OUTAGES.items():
            tried = asyncio.run(evaluate.verify_in_outage(genuine, internet, fault))
            blamed = [one for one in tried if one.is_accused]
            print(f"outage, {name}: {len(tried)} genuine, {len(blamed)} accused")  # noqa: T201


def _print_figures(title: str, tried: list[TriedItem]) -> None:
    lines = [f"\n## {title}"]
    for kind in dict.fromkeys(one.item.kind for one in tried):
        group = [one for one in tried if one.item.kind == kind]
        verdicts = Counter(one.verdict for one in group)
        said = ", ".join(f"{word} {count}" for word, count in verdicts.most_common())
        if group[0].item.is_genuine:
            blamed = sum(one.is_accused for one in group)
            lines.append(f"{kind:30} {len(group):4}  accused {blamed}  ({said})")
        else:
            caught = sum(one.is_caught for one in group)
            lines.append(f"{kind:30} {len(group):4}  recall {caught / len(group):.3f}  ({said})")
    unsound = [one for one in tried if not one.item.is_genuine]
    lines.append(
        f"all invented or altered: {len(unsound)}, recall {sum(one.is_caught for one in unsound) / len(unsound):.3f}"
    )
    for one in tried:
        wrong = one.is_accused if one.item.is_genuine else not one.is_caught
        if wrong or (one.item.kind == "genuine" and one.verdict != "confirmed"):
            reason = (one.answer.get("notes") or [one.answer.get("reason")])[0]
            lines.append(f"  {one.item.id}: {one.verdict}: {one.item.text!r}\n      {reason}")
    sys.stdout.writelines(f"{line}\n" for line in lines)


if __name__ == "__main__":
    main()
