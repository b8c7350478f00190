"""Languages, scripts, sentences, words and stems of a text."""
