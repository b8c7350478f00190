"""CSL styles of our own making: a sound one, one that depends on it, and some that must be refused."""

from __future__ import annotations

_OPENING = '<?xml version="1.0" encoding="utf-8"?>\n<style xmlns="http://purl.org/net/xbiblio/csl" class="in-text" version="1.0">'
_CITATION = '<citation><layout><text variable="citation-number"/></layout></citation>'

NUMBERED_STYLE = f"""{_OPENING}
  <info><title>House style</title><id>https://styles.example/house</id><updated>2026-01-01T00:00:00+00:00</updated></info>
  {_CITATION}
  <bibliography second-field-align="flush">
    <layout suffix=".">
      <text variable="citation-number" suffix="."/>
      <group delimiter=". ">
        <names variable="author">
          <name name-as-sort-order="all" sort-separator=" " initialize-with="" delimiter=", "/>
        </names>
        <text variable="title"/>
        <group delimiter=", ">
          <group delimiter=" ">
            <text variable="container-title"/>
            <text variable="volume"/>
          </group>
          <text variable="page"/>
        </group>
      </group>
    </layout>
  </bibliography>
</style>
"""
DEPENDENT_STYLE = f"""{_OPENING}
  <info>
    <title>Journal of the House</title><id>https://styles.example/child</id>
    <link href="https://styles.example/house" rel="independent-parent"/>
    <updated>2026-01-01T00:00:00+00:00</updated>
  </info>
</style>
"""
NOTES_STYLE = f"{_OPENING}<info><title>Notes</title></info>{_CITATION}</style>"
BROKEN_STYLE = (
    f"{_OPENING}<info><title>Broken</title></info>{_CITATION}"
    '<bibliography><layout><text macro="missing"/></layout></bibliography></style>'
)
BOMB_STYLE = (
    '<?xml version="1.0"?><!DOCTYPE style [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>'
    '<style xmlns="http://purl.org/net/xbiblio/csl"><info><title>&b;</title></info></style>'
)
