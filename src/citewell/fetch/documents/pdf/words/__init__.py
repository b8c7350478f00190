"""The words of a PDF page: read from the file, in reading order for every script, with place, style and link."""
