"""The part of CSS that is needed to tell which text of a page is invisible."""
